from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fusepy import FuseError, SetUpWarning, find_fuse, load_result, load_trajectory, load_updates, load_verdict, run
from fusepy.rerun_export import to_rerun

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_fuse() is None:
        pytest.skip("fuse is not built")
    return run(REPOSITORY / "datasets/demo", tmp_path_factory.mktemp("run") / "demo-fuse")


def test_updates_are_a_table(result: Path) -> None:
    pandas = pytest.importorskip("pandas")
    updates = load_updates(result)
    lines = (result / "updates.jsonl").read_text().splitlines()
    assert len(updates) == len(lines)
    assert updates["timestamp"].iloc[-1] == json.loads(lines[-1])["timestamp"]
    assert updates["peer"].isna().any() and set(updates["status"]) <= {"unknown", "notConverged", "converged"}
    # The line in the documents.
    same = pandas.read_json(result / "updates.jsonl", lines=True)
    assert len(same) == len(updates)
    trajectory = load_trajectory(result)
    first = (result / "trajectory.tum").read_text().split(" ", 1)[0]
    assert str(trajectory["timestamp"].iloc[0]) == first.replace(".", "")
    assert load_result(result)["counts"]


def test_a_broken_set_up_is_a_warning(result: Path, tmp_path: Path) -> None:
    assert load_verdict(result).state == "healthy" and load_verdict(result).code is None
    shutil.copytree(REPOSITORY / "datasets/demo", tmp_path / "millimetres")
    table = tmp_path / "millimetres/mav0/uwb0/data.csv"
    head, *rows = table.read_text().splitlines()
    place = [cell.split("[")[0].strip(" #") for cell in head.split(",")].index("range")
    cells = [row.split(",") for row in rows]
    for row in cells:
        row[place] = str(1000 * float(row[place]))
    table.write_text("\n".join([head, *map(",".join, cells)]) + "\n")
    with pytest.warns(SetUpWarning, match="set-up broken: rangeUnit: .* write ranges in metres"):
        verdict = load_verdict(run(tmp_path / "millimetres", tmp_path / "out"))
    assert verdict.state == "broken" and verdict.peer == "tag" and verdict.findings[0]["code"] == verdict.code


def test_rerun_files_are_written_and_read_back(result: Path, tmp_path: Path) -> None:
    pytest.importorskip("rerun")
    path = tmp_path / "demo.rrd"
    count = to_rerun(result, path, REPOSITORY / "datasets/demo")
    assert count == len((result / "updates.jsonl").read_text().splitlines())
    assert path.read_bytes()[:4] in (b"RRF2", b"RRIO", b"RRF1") and path.stat().st_size > 100_000


def test_mcap_opens_with_valid_schemas(result: Path, tmp_path: Path) -> None:
    from mcap.reader import make_reader
    from fusepy.command import call

    path = tmp_path / "demo.mcap"
    call(["export", "mcap", str(result), "-o", str(path), "--recording", str(REPOSITORY / "datasets/demo")])
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        schemas = {s.name: json.loads(s.data) for s in summary.schemas.values()}
        for name in ("foxglove.FrameTransforms", "foxglove.PosesInFrame", "foxglove.SceneUpdate", "foxglove.Log", "fuse.Update"):
            assert schemas[name]["type"] == "object"
        counts: dict[str, int] = {}
        last = 0
        for schema, channel, message in reader.iter_messages():
            assert schema is not None and message.log_time >= last
            last = message.log_time
            document = json.loads(message.data)
            unknown = set(document) - set(schemas[schema.name]["properties"])
            assert not unknown, f"{schema.name} has no {unknown}"
            counts[channel.topic] = counts.get(channel.topic, 0) + 1
    assert counts["/updates"] == len((result / "updates.jsonl").read_text().splitlines())
    assert sum(counts.values()) == summary.statistics.message_count
    assert counts["/imu0"] > 1000 and any(topic.startswith("/ranges/") for topic in counts)
    layout = json.loads((tmp_path / "demo.layout.json").read_text())
    assert set(layout["configById"]) >= {"3D!world", "Log!log"}


def test_mcap_of_fuse_imports_as_ranges(result: Path, tmp_path: Path) -> None:
    """JSON channels of any MCAP file import by the fields' names."""
    from fusepy import import_recording
    from fusepy.command import call

    path = tmp_path / "demo.mcap"
    call(["export", "mcap", str(result), "-o", str(path), "--recording", str(REPOSITORY / "datasets/demo")])
    (tmp_path / "map.yaml").write_text('uwb0: {topic: "/ranges/{peer}", range: range}\n')
    report = import_recording(path, tmp_path / "out", tmp_path / "map.yaml", check=False)
    assert report.counts["uwb0 rows"] > 100


def test_csv_has_a_row_an_update(result: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    from fusepy.command import call

    call(["export", "csv", str(result), "-o", str(tmp_path / "demo.csv")])
    table, updates = pandas.read_csv(tmp_path / "demo.csv", dtype={"distance [m]": str}), load_updates(result)
    assert len(table) == len(updates)
    assert (table["distance [m]"].dropna().astype(float).to_numpy() == updates["distance"].dropna().to_numpy()).all()


def test_a_failed_run_says_why(tmp_path: Path) -> None:
    if find_fuse() is None:
        pytest.skip("fuse is not built")
    with pytest.raises(FuseError) as error:
        run(tmp_path / "gone", tmp_path / "out")
    assert error.value.status == 2 and "no such folder" in str(error.value)


def test_evo_reads_the_trajectory(result: Path) -> None:
    evo = pytest.importorskip("evo.tools.file_interface")
    assert evo.read_tum_trajectory_file(str(result / "trajectory.tum")).num_poses > 100


def test_a_trajectory_of_two_worlds_is_read(tmp_path: Path) -> None:
    (tmp_path / "trajectory.tum").write_text(
        "1.000000005 1 2 3 0 0 0 1\n# a new world begins: positions here have no relation to those above\n"
        "2.5 4 5 6 0 0 0 1\n3.000000000 7 8 9 0 0 0 1\n")
    table = load_trajectory(tmp_path)
    assert list(table["timestamp"]) == [1_000_000_005, 2_500_000_000, 3_000_000_000]
    assert list(table["world"]) == [0, 1, 1] and list(table["x"]) == [1, 4, 7]
