"""The peer of rows B10 and B13: the same task as tasks/change.ts, for the Python package perago."""

import os
from pathlib import Path

from pydantic import BaseModel

from perago import WorkspaceSpec, task


class ChangeParams(BaseModel):
    path: str
    stamp: str


class ChangeOutput(BaseModel):
    written_bytes: int


@task(
    name=os.environ["BENCH_PYTHON_TASK"],
    owner_email="bench@example.com",
    workspace=WorkspaceSpec(prefix="/data"),
)
def change(workspace: Path, params: ChangeParams) -> ChangeOutput:
    with (workspace / params.path).open("r+b") as file:
        return ChangeOutput(written_bytes=file.write(params.stamp.encode()))
