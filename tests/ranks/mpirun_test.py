"""Programs under mpirun, several processes on this machine: the same bits for every number of them, and an end that names the rank if one dies."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TCP = pathlib.Path(sys.argv.pop(1)).resolve()
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]
PATIENCE = 240  # seconds


def mpirun(ranks, *command, **options):
    return subprocess.run([*MPIRUN, "-n", str(ranks), str(TCP), *command], capture_output=True, text=True, timeout=PATIENCE, **options)


def alone(*command, **options):
    return subprocess.run([str(TCP), *command], capture_output=True, text=True, timeout=PATIENCE, **options)


class Folder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def model(self, *how):
        subprocess.run([sys.executable, ROOT / "scripts/tiny-llama", self.folder / "model", *how], check=True, stdout=subprocess.DEVNULL)
        return str(self.folder / "model")


class Llama(Folder):
    def answer(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return {key: value for key, value in json.loads(done.stdout).items() if key in ("prompt_ids", "ids", "text", "stopped")}

    def test_four_chips_answer_alike_over_one_two_three_and_four_ranks(self):
        model = self.model("--size", "heads")
        ask = ["llama", model, "--prompt-ids", "3,17,40,9", "--max-new", "3", "--temperature", "0.9", "--chips", "4", "--json"]
        wanted = self.answer(alone(*ask))
        self.assertEqual(len(wanted["ids"]), 3)
        for ranks in (2, 3, 4):
            self.assertEqual(self.answer(mpirun(ranks, *ask)), wanted, f"{ranks} ranks")

    def test_experts_answer_alike_over_one_and_two_ranks(self):
        model = self.model("--architecture", "mixtral")
        ask = ["llama", model, "--prompt-ids", "3,17,40,9", "--max-new", "3", "--chips", "2", "--json"]
        self.assertEqual(self.answer(mpirun(2, *ask)), self.answer(alone(*ask)))

    def test_words_come_from_the_first_rank_alone(self):
        model = self.model()
        ask = ["llama", model, "the cat", "--max-new", "3", "--chips", "2"]
        self.assertEqual(mpirun(2, *ask).stdout, alone(*ask).stdout)

    def test_more_ranks_than_chips_is_one_mistake_and_not_one_for_each_rank(self):
        done = mpirun(4, "llama", self.model(), "--prompt-ids", "1", "--chips", "2")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("error[ranks-more-than-chips]"), 1, done.stderr)
        self.assertIn("2 chips over 4 ranks", done.stderr)


class Sweep(Folder):
    KERNEL = """module scaled
axes A = 2048

argument hbm x: i32 Element[A]
dm d: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
result hbm y: i32 Element[A]

move x -> d
move d -> y
"""

    def test_the_table_is_that_of_one_process(self):
        (self.folder / "k.tcp").write_text(self.KERNEL)
        ask = ["sweep", "k.tcp", "--set", "hbm.clock=750,1000,1500", "--set", "clocks.core_mhz=1000,1200"]
        one = alone(*ask, "--csv", "one.csv", cwd=self.folder)
        self.assertEqual(one.returncode, 0, one.stderr)
        three = mpirun(3, *ask, "--csv", "three.csv", "--resume", "three.jsonl", cwd=self.folder)
        self.assertEqual(three.returncode, 0, three.stderr)
        self.assertEqual(three.stdout, one.stdout)
        self.assertEqual((self.folder / "three.csv").read_text(), (self.folder / "one.csv").read_text())
        self.assertEqual(len((self.folder / "three.jsonl").read_text().splitlines()), 6)  # each point was planned once


class Death(Folder):
    def rank_of(self, process):
        try:
            words = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        except OSError:
            return None
        return next((int(w.split(b"=")[1]) for w in words if w.startswith(b"OMPI_COMM_WORLD_RANK=")), None)

    def children(self, parent):
        found = []
        for each in pathlib.Path("/proc").iterdir():
            if not each.name.isdigit():
                continue
            try:
                fields = (each / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(each.name))
        return found

    def killed_run(self):
        """(exit code, what the launcher said) of a sweep whose rank 1 was killed as soon as it was seen."""
        values = ",".join(str(750 + i) for i in range(400))
        ask = ["sweep", "k.tcp", "--set", f"hbm.clock={values}", "--csv", "out.csv", "-j", "1"]
        run = subprocess.Popen([*MPIRUN, "-n", "2", str(TCP), *ask], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        killed = None
        end = time.time() + 60
        while killed is None and run.poll() is None and time.time() < end:
            for child in self.children(run.pid):
                program = os.path.basename(os.readlink(f"/proc/{child}/exe")) if os.path.exists(f"/proc/{child}/exe") else ""
                if self.rank_of(child) == 1 and program == "tcp-mpi":
                    killed = child
            time.sleep(0.02)
        self.assertIsNotNone(killed)
        os.kill(killed, signal.SIGKILL)
        _, said = run.communicate(timeout=PATIENCE)
        return run.returncode, said

    def test_a_rank_that_dies_ends_the_run_and_is_named_and_no_output_is_left(self):
        (self.folder / "k.tcp").write_text(Sweep.KERNEL)
        # A process that dies before it has joined the others ends the run too, but the launcher does not know its rank yet.
        for _ in range(6):
            code, said = self.killed_run()
            self.assertNotEqual(code, 0)
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["k.tcp"])
            if "rank 1" in said.lower():
                break
        self.assertRegex(said, r"(?i)rank 1\b", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
