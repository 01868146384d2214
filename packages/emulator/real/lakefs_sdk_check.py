"""Uses Python's lakefs-sdk, unmodified: upload, commit, branch, merge, log, diff. Ends with 0 where all is as it should."""

import os

import lakefs_sdk
from lakefs_sdk.client import LakeFSClient
from lakefs_sdk.exceptions import ApiException, NotFoundException

configuration = lakefs_sdk.Configuration(
    host=os.environ["LAKECTL_SERVER_ENDPOINT_URL"] + "/api/v1",
    username=os.environ["LAKECTL_CREDENTIALS_ACCESS_KEY_ID"],
    password=os.environ["LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY"],
)
client = LakeFSClient(configuration)
repo = "by-python"

created = client.repositories_api.create_repository(
    lakefs_sdk.RepositoryCreation(name=repo, storage_namespace="local://perago/by-python")
)
assert created.id == repo and created.default_branch == "main"
client.branches_api.create_branch(repo, lakefs_sdk.BranchCreation(name="side", source="main"))

stat = client.objects_api.upload_object(repo, "side", "dir/a.txt", content=b"hello from python")
assert stat.size_bytes == len(b"hello from python"), stat
assert client.objects_api.get_object(repo, "side", "dir/a.txt") == b"hello from python"
assert [one.type for one in client.branches_api.diff_branch(repo, "side").results] == ["added"]

commit = client.commits_api.commit(
    repo, "side", lakefs_sdk.CommitCreation(message="by python", metadata={"who": "python"})
)
assert client.commits_api.get_commit(repo, "side").metadata == {"who": "python"}
assert [one.path for one in client.refs_api.diff_refs(repo, "main", "side").results] == ["dir/a.txt"]

merged = client.refs_api.merge_into_branch(repo, "side", "main", merge=lakefs_sdk.Merge(message="merged", squash_merge=True))
log = client.refs_api.log_commits(repo, "main", first_parent=True)
assert [one.id for one in log.results][0] == merged.reference
assert log.results[0].message == "merged" and len(log.results[0].parents) == 1
assert [one.path for one in client.objects_api.list_objects(repo, "main").results] == ["dir/a.txt"]
assert client.objects_api.stat_object(repo, commit.id, "dir/a.txt").checksum == stat.checksum

errors = client.objects_api.delete_objects(repo, "side", lakefs_sdk.PathList(paths=["dir/a.txt", "never"]))
assert errors.errors == []
client.branches_api.delete_branch(repo, "side")
try:
    client.branches_api.get_branch(repo, "side")
except NotFoundException:
    pass
else:
    raise AssertionError("the branch is still there")
try:
    client.commits_api.commit(repo, "main", lakefs_sdk.CommitCreation(message="nothing"))
except ApiException as error:
    assert error.status == 400 and "no changes" in error.body, error
else:
    raise AssertionError("a commit without changes passed")
print("ok")
