import type { Measurement, Surroundings } from "../measurement.ts";
import { startCountingProxy, type CountingProxy, type PassedRequest } from "../world/counting-proxy.ts";
import { untilSettled } from "../world/session.ts";
import { realServers } from "@perago/e2e/support/settings.ts";
import { attemptOn, prepareTree, warmHost } from "./attempt.ts";

const PAGE_ENTRIES = 1000;
/** The input is listed once; the plan is made from what sync-in has seen. */
const LISTINGS_PER_ATTEMPT = 1;
const SMALL = { fileCount: 10, sizeBytes: 1024 };
const LARGE = { fileCount: 3500, sizeBytes: 1024 };
const QUICK_LARGE = { fileCount: 1200, sizeBytes: 1024 };

/** B9: what one changed file costs, counted by a proxy before lakeFS. */
export const requests: Measurement = {
  rows: [
    {
      id: "B9",
      work: "objects uploaded, one file of 3,500 changed",
      against: "-",
      unit: "uploads",
      decimals: 0,
      bound: { figure: "ours", relation: "<=", value: 1 },
    },
    {
      id: "B9/requests",
      work: "requests without the downloads, one file of 3,500 changed",
      against: "requests with 10 files + 3 more pages of one listing",
      unit: "requests",
      decimals: 0,
      bound: { figure: "ratio", relation: "<=", value: 1 },
    },
  ],
  async measure(around) {
    await around.session.register("change");
    const small = await countOf(around, SMALL);
    const shape = around.quick ? QUICK_LARGE : LARGE;
    const large = await countOf(around, shape);
    const morePages = Math.ceil(shape.fileCount / PAGE_ENTRIES) - Math.ceil(SMALL.fileCount / PAGE_ENTRIES);
    const allowed = small.others + LISTINGS_PER_ATTEMPT * morePages;
    const note = `${large.pages} listing pages, ${large.diffs} diff pages, ${large.downloads} downloads`;
    return {
      B9: { ours: [large.uploads], other: [] },
      "B9/requests": { ours: [large.others], other: [allowed], note },
    };
  },
};

async function countOf(around: Surroundings, shape: { readonly fileCount: number; readonly sizeBytes: number }) {
  const work = await prepareTree(around, shape);
  const proxy = await startCountingProxy(realServers().lakefsUrl);
  around.session.atEnd(() => proxy.close());
  const host = await warmHost(around, work, { LAKECTL_SERVER_ENDPOINT_URL: proxy.url });
  proxy.forget();
  await attemptOn(around.session, work.place, work.input);
  await untilSettled(host, work.place);
  const counts = countRequests(proxy.requests);
  await host.stop();
  return counts;
}

/** What an attempt asked of lakeFS, by kind; `others` are all but the downloads. */
export function countRequests(requests: CountingProxy["requests"]) {
  const count = (accept: (request: PassedRequest) => boolean): number => requests.filter(accept).length;
  const downloads = count(({ method, path }) => method === "GET" && /\/refs\/[^/]+\/objects$/.test(path));
  return {
    uploads: count(({ method, path }) => method !== "GET" && /\/branches\/[^/]+\/objects$/.test(path)),
    pages: count(({ path }) => path.endsWith("/objects/ls")),
    diffs: count(({ path }) => /\/diff(\/|$)/.test(path)),
    downloads,
    others: requests.length - downloads,
  };
}
