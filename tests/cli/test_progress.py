"""The line of progress: on a terminal only, on standard error only, without a value of the data, gone afterwards."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time

import pytest

from auditor.cli._progress import ProgressLine, amount, elapsed
from auditor.stages import Moment, Stage, stage, watching

SECRET = "sesquipedalian"
HIDE_CURSOR, SHOW_CURSOR = b"\x1b[?25l", b"\x1b[?25h"
POLICY = """
version: 1
name: p
attributes: {zip: {role: quasi-identifier, hierarchy: {mask: {side: right, character: "*"}}}, sick: sensitive,
  pay: {role: sensitive, type: number}}
requirements: [{model: k-anonymity, k: 2}]
remediation: {}
protection: [{method: rank-swapping, attributes: [pay], p: 20}]
"""


FILES = {
    "m.csv": f"zip,sick\n1,{SECRET}\n1,x\n",
    "m.yaml": "version: 1\nname: m\nattributes: {zip: quasi-identifier, sick: sensitive}\n"
    "requirements: [{model: k-anonymity, k: 2}]\n",
    "m_test.yaml": "version: 1\npolicy: m.yaml\n"
    'tests: [{name: t, csv: "zip,sick\\n1,x\\n", expect: {verdict: fail}}]\n',
    "auditor.yaml": "version: 1\nreleases: {m: {policy: m.yaml, data: m.csv, recipients: [us], purpose: tests}}\n",
    "staff.csv": "id,dept,salary\n" + "".join(f"{i},{'ab'[i % 2]},{100 + i * i}\n" for i in range(12)),
    "staff.yaml": "version: 1\nname: s\n"
    "attributes: {id: identifier, dept: quasi-identifier, salary: {role: sensitive, type: number}}\n"
    "queries: {table: staff, key: id, limits: {exact_value: deny}}\n"
    "outputs: [{type: frequency-table, min_cell: 3}]\n",
    "log.sql": "SELECT sum(salary) FROM staff;\nSELECT sum(salary) FROM staff WHERE dept = 'a';\n",
    "table.json": '{"type": "frequency-table", "by": ["dept"], "cells": [{"key": ["a"], "count": 6}]}',
}


class Ran:
    """A command that ran with standard error on a terminal of its own."""

    def __init__(self, *words, folder, interrupt_after=None, terminal=True):
        master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "24"}
        command = [sys.executable, "-c", "from auditor.cli import main; main()", *map(str, words)]
        errors = slave if terminal else subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors)
        os.close(slave)
        self.drawn = b""
        reader = threading.Thread(target=self._read, args=(master,))
        reader.start()
        if interrupt_after is not None:
            self._wait_for(interrupt_after)
            self.process.send_signal(signal.SIGINT)
        self.out, plain = self.process.communicate(timeout=120)
        reader.join(20)
        self.drawn += plain or b""
        self.code = self.process.returncode

    def _read(self, master):
        while True:
            try:
                chunk = os.read(master, 1 << 16)
            except OSError:  # the other side was closed
                return
            if not chunk:
                return
            self.drawn += chunk

    def _wait_for(self, text):
        ends = time.monotonic() + 60
        while text not in self.drawn:
            assert time.monotonic() < ends, self.drawn
            assert self.process.poll() is None, self.drawn
            time.sleep(0.01)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("progress")
    rows = "".join(f"0{i % 7}{i % 3},{SECRET},{i}\n" for i in range(60))
    (path / "d.csv").write_text("zip,sick,pay\n" + rows, encoding="utf-8")
    (path / "p.yaml").write_text(POLICY, encoding="utf-8")
    (path / "b.dat").write_text("1 2 3\n1 2\n1 2 3\n2 3\n", encoding="utf-8")
    (path / "s.txt").write_text("1 2\n", encoding="utf-8")
    for name, text in FILES.items():
        (path / name).write_text(text, encoding="utf-8")
    assert Ran("check", "m.csv", "-p", "m.yaml", "--certificate", "m.json", folder=path).code == 0
    return path


COMMANDS = {
    "check": ("check", "d.csv", "-p", "p.yaml", "--format", "json"),
    "remediate": ("remediate", "d.csv", "-p", "p.yaml", "--plan", "--format", "json"),
    "mask": ("mask", "d.csv", "-p", "p.yaml", "--plan", "--format", "json"),
    "tradeoff": ("tradeoff", "d.csv", "-p", "p.yaml", "--seeds", "1", "--format", "json"),
    "hide": ("hide", "b.dat", "--sensitive", "s.txt", "--min-support", "2", "--plan", "--format", "json"),
    "hierarchy": ("hierarchy", "d.csv", "-p", "p.yaml", "--format", "json"),
    "init": ("init", "d.csv"),
    "queries": ("queries", "log.sql", "-p", "staff.yaml", "-d", "staff.csv", "--format", "json"),
    "outputs": ("outputs", "table.json", "-p", "staff.yaml", "--format", "json"),
    "gate": ("gate", "--base", "none", "--format", "json"),
    "verify": ("verify", "m.json", "m.csv", "--format", "json"),
    "test": ("test", "m_test.yaml", "--coverage"),
}
SHOWN = {"gate": b"gate", "verify": b"m.csv", "test": b"policies"}
"""What a line begins with, where that is not the first file that the command names."""


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_long_command_draws_its_stage_and_leaves_the_terminal_as_it_was(words, folder):
    ran = Ran(*words, folder=folder)
    assert ran.code in (0, 1), ran.drawn
    assert SHOWN.get(words[0], words[1].encode()) in ran.drawn
    assert b"0:00" in ran.drawn
    assert ran.drawn.count(HIDE_CURSOR) == ran.drawn.count(SHOW_CURSOR) == 1
    assert ran.drawn.index(HIDE_CURSOR) < ran.drawn.index(SHOW_CURSOR)
    assert SECRET.encode() not in ran.drawn
    if "json" in words:
        json.loads(ran.out)
    assert b"\x1b" not in ran.out


@pytest.mark.slow
@pytest.mark.parametrize("words", [COMMANDS["check"], COMMANDS["hierarchy"], COMMANDS["init"]])
def test_nothing_is_drawn_without_a_terminal_or_with_quiet(words, folder):
    assert Ran(*words, folder=folder, terminal=False).drawn == b""
    assert Ran(*words, "--quiet", folder=folder).drawn == b""


@pytest.mark.slow
def test_an_interrupt_leaves_the_terminal_in_order(folder):
    """The work is one that takes minutes: interrupted once its stage is drawn, it ends in 3 with the cursor shown."""
    many = "".join(f"{i % 977},{SECRET},{i * 7919 % 10007}\n" for i in range(40_000))
    (folder / "many.csv").write_text("zip,sick,pay\n" + many, encoding="utf-8")
    words = ("tradeoff", "many.csv", "-p", "p.yaml", "--preset", "table-35.1", "--format", "json")
    ran = Ran(*words, folder=folder, interrupt_after=b"weighing")
    assert ran.code == 3
    assert ran.out == b""
    assert ran.drawn.rindex(HIDE_CURSOR) < ran.drawn.rindex(SHOW_CURSOR)
    assert b"interrupted; nothing was written [interrupted]" in ran.drawn
    assert SECRET.encode() not in ran.drawn


@pytest.mark.slow
def test_what_follows_in_a_url_is_not_drawn(folder):
    ran = Ran("check", "postgresql://127.0.0.1:1/db?password=hunter2&table=t", "-p", "p.yaml", folder=folder)
    assert ran.code == 3
    assert b"hunter2" not in ran.drawn


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (None, ""),
        (Moment((Stage.COUNTING,)), ""),
        (Moment((Stage.COUNTING,), rows=30162), "30,162 rows"),
        (Moment((Stage.COUNTING,), 37.9, 100, "%"), "37 %"),
        (Moment((Stage.COUNTING,), 20.0, 100, "%", 30162), "20 % of 30,162 rows"),
        (Moment((Stage.SEARCHING,), 1200, unit="nodes"), "1,200 nodes"),
        (Moment((Stage.JUDGING_RELEASES,), 2, 5, "releases"), "2 of 5 releases"),
    ],
)
def test_how_much_is_done_in_the_unit_of_the_work(moment, text):
    assert amount(moment) == text


def test_the_time_is_in_minutes_and_hours():
    assert [elapsed(seconds) for seconds in (0, 7.9, 61, 3725)] == ["0:00", "0:07", "1:01", "1:02:05"]


def drawn(line, width):
    from rich.console import Console

    console = Console(width=width, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(line)
    return captured.get()


@pytest.mark.parametrize("width", [20, 60, 200])
def test_it_is_one_line_in_a_terminal_of_any_width(width):
    line = ProgressLine("a-rather-long-name-of-a-file.csv")
    with watching(line.tell), stage(Stage.AUDITING_RELEASE), stage(Stage.COUNTING, 10**9) as here:
        here.tell(50, 100, "%")
        shown = drawn(line, width)
    assert shown.count("\n") == 1
    assert max(map(len, shown.splitlines())) <= width


def test_a_file_name_cannot_command_the_terminal_or_the_markup():
    from auditor.report.words import visible

    shown = drawn(ProgressLine(str(visible("\x1b[2Jx[red]y.csv"))), 120)
    assert "\x1b[2J" not in shown
    assert "x[red]y.csv" in shown


@pytest.mark.slow
def test_the_engine_tells_how_far_a_statement_is():
    """A statement of about a second or more tells rising shares, and prints nothing."""
    from auditor.engines import RunLimits
    from auditor.engines.duckdb.connection import Connection

    seen = []
    with watching(seen.append), stage(Stage.COUNTING, 9):
        connection = Connection(RunLimits.of("1GB"), threads=1)
        statement = "SELECT count(*) FROM (SELECT hash(range) % 3000000 AS k FROM range(12000000) GROUP BY k)"
        connection.rows("t", statement)
        connection.close()
    shares = [moment.done for moment in seen if moment.unit == "%"]
    assert shares
    assert all(0 <= share <= 100 for share in shares)
    assert len(set(shares)) > 1
    assert {moment.rows for moment in seen} == {9}


def test_nobody_asks_the_engine_where_nobody_watches():
    from auditor.engines import RunLimits
    from auditor.engines.duckdb.connection import Connection

    connection = Connection(RunLimits.of("1GB"), threads=1)
    before = threading.active_count()
    with connection._bounded():
        assert threading.active_count() == before
    connection.close()


def test_any_engine_can_be_asked_how_far_it_is():
    """What is not known is not told; the last answer may be repeated, and nothing is asked once the work is over."""
    from auditor.engines._following import following

    answers = iter([None, (1, 4, "tasks"), (3, 4, "tasks")])
    asked, seen = threading.Event(), []

    def ask():
        answer = next(answers, (4, 4, "tasks"))
        if answer == (4, 4, "tasks"):
            asked.set()
        return answer

    with watching(seen.append), stage(Stage.COUNTING):
        with following(ask):
            assert asked.wait(20)
        assert seen[-1] == Moment((Stage.COUNTING,)), "what comes next is not as far as the engine was"
    told = len(seen)
    shown = list(dict.fromkeys((moment.done, moment.of) for moment in seen if moment.unit == "tasks"))
    assert shown[:2] == [(1, 4), (3, 4)]
    time.sleep(0.3)
    assert len(seen) == told
    with following(lambda: 1 / 0):
        time.sleep(0.3)
