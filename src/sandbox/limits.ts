/** What a run of a customer's code may use. Milliseconds and bytes. */
export const limits = {
  wallMs: 5_000,
  /** After this much more outside the child is killed, whatever it says. */
  graceMs: 250,
  /** Cooperative: the isolate is ended inside the child. */
  softCpuMs: 500,
  hardCpuMs: 1_000,
  isolateMegabytes: 64,
  /** Of the whole child, seen from outside every `watchMs`: what it takes in between comes on top. */
  residentBytes: 128 * 1024 * 1024,
  /** What a child may map on top of what an empty run leaves it with. The kernel refuses more, where it can be told to. */
  growthBytes: 64 * 1024 * 1024,
  codeBytes: 1024 * 1024,
  paramsBytes: 256 * 1024,
  resultBytes: 256 * 1024,
  depth: 32,
  fetches: 10,
  fetchMs: 5_000,
  fetchBytes: 1024 * 1024,
  calls: 100,
  logBytes: 16 * 1024,
  logLines: 256,
  /** Of a text that the code hands out of its isolate, characters. */
  textLength: 2 * 1024 * 1024,
  /** One message between the child and us. */
  frameBytes: 4 * 1024 * 1024,
  /** Children of one team, and in all. */
  teamCells: 4,
  cells: 64,
  /** Children that wait for their first team. */
  warm: 2,
  /** What a child does before it is replaced. */
  runs: 20_000,
  lifeMs: 600_000,
  idleMs: 60_000,
  /** Runs that wait inside a child while their script has been quick. */
  depthOfLine: 16,
  quickMs: 2,
  /** A run that has gone on for so long lets the others be run elsewhere. */
  slowMs: 20,
  watchMs: 5,
} as const

export type Limits = { readonly [Name in keyof typeof limits]: number }
