/** An action that lets a merge pass only from the head that it expects. */
export const fenceAction = `name: fence
on:
  pre-merge:
    branches: [main, "rel-*"]
hooks:
  - id: expected_head
    type: lua
    properties:
      script: |
        local expected = action.commit.metadata["expected"]
        if expected ~= action.commit.parents[1] then
          error("head moved: expected " .. tostring(expected))
        end
`;
