import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { partRange, storageLimits, uploadWay, type StorageLimits } from "./upload-way.ts";

const all = { storageId: "", presign: true, presignMultipart: true };
const single = { ...all, presignMultipart: false };
const none = { ...single, presign: false };
const limits: StorageLimits = {
  directSizeBytes: 10,
  maxPutSizeBytes: 1000,
  multipartFromSizeBytes: 100,
  minPartSizeBytes: 5,
  usualPartSizeBytes: 20,
  maxPartCount: 10,
};

test.for([
  [10, all, "direct"],
  [11, all, "presigned"],
  [99, all, "presigned"],
  [100, all, "multipart"],
  [1001, all, "multipart"],
  [1000, single, "presigned"],
  [1001, single, "direct"],
  [11, none, "direct"],
  [1001, none, "direct"],
] as const)("case B01: %i bytes with %j go %s", ([sizeBytes, abilities, kind]) => {
  expect(uploadWay(sizeBytes, abilities, limits).kind).toBe(kind);
});

test("case B02: a file of 48 TiB still fits 10,000 parts of at most 5 GiB", () => {
  const way = uploadWay(48 * 1024 ** 4, all, storageLimits);
  expect(way).toMatchObject({ kind: "multipart" });
  if (way.kind !== "multipart") return;
  expect(way.partCount).toBeLessThanOrEqual(10_000);
  expect(way.partSizeBytes).toBeLessThanOrEqual(5 * 1024 ** 3);
});

property.prop([fc.integer({ min: storageLimits.multipartFromSizeBytes, max: 5 * 1024 ** 4 })])(
  "case B02: parts cover the file in order, none but the last under 5 MiB, never over 10,000",
  (sizeBytes) => {
    const way = uploadWay(sizeBytes, all, storageLimits);
    if (way.kind !== "multipart") throw new Error("in parts");
    const { partCount, partSizeBytes } = way;
    expect(partCount).toBeLessThanOrEqual(10_000);
    const first = partRange(1, partSizeBytes, sizeBytes);
    const last = partRange(partCount, partSizeBytes, sizeBytes);
    expect(first.position).toBe(0);
    expect(Math.min(first.sizeBytes, partSizeBytes)).toBeGreaterThanOrEqual(5 * 1024 * 1024);
    expect(last.position + last.sizeBytes).toBe(sizeBytes);
    expect(last.sizeBytes).toBeGreaterThan(0);
    expect(last.position).toBe((partCount - 1) * partSizeBytes);
  },
);
