import { createConnection, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Hostile } from './corpus.ts'
import type { BlockedTime } from './probe.ts'

/**
 * A position of a request or response that a stranger can fill with text. `submit` resolves when the server has processed
 * it.
 */
export type EntryPoint = {
  name: string
  /** The size of the longest text that is sent. Default: a mebibyte. */
  maxBytes?: number
  texts: readonly Hostile[]
  /** Entry points that lead to the same code are warmed up together. Default: each separately. */
  warmUpGroup?: string
  /** The growth of shorter times is not measured. Default: 20. */
  growthFromMs?: number
  submit(text: string): Promise<unknown>
}

/** One request may block the main thread for this long. A longer time is printed. */
const maxBlockedMs = 100
/** A longer time fails. Times vary by a factor of two between runs; work that is not linear exceeds that by far. */
const failingBlockedMs = 250
/** Shorter times vary too much to compare. */
const noiseMs = 20
const maxGrowth = 2.5
const defaultMaxBytes = 1024 * 1024
const grown = { from: 64 * 1024, to: 128 * 1024 }
const tries = 5

/** The result of one text at one entry point. `growth`: the time of the doubled text over the time of the text. */
export type Finding = { entryPoint: string; text: string; bytes: number; blockedMs: number; growth?: number }

export type Probe = {
  take(): Promise<BlockedTime>
  /** The groups of entry points that are warmed up. */
  warm: Set<string>
  close(): void
}

/** Connects to the probe of a server. `take` resolves with what it has measured since the previous `take`. */
export async function openProbe(path: string): Promise<Probe> {
  const socket: Socket = createConnection(path)
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    async take() {
      socket.write('?\n')
      const { value } = await lines.next()
      return JSON.parse(value as string) as BlockedTime
    },
    warm: new Set(),
    close: () => socket.destroy(),
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** The time that the main thread was blocked: its CPU time, at most the elapsed time. */
async function takeBlockedMs(probe: Probe): Promise<number> {
  const { wallMs, cpuMs } = await probe.take()
  return Math.max(0, Math.min(wallMs, cpuMs))
}

async function measureBlockedMs(entryPoint: EntryPoint, text: string, probe: Probe): Promise<number> {
  await entryPoint.submit(text)
  return takeBlockedMs(probe)
}

/**
 * The times that attempts block the main thread, and their median. An attempt within the limit is the only one; a longer one
 * is repeated, because the garbage collector or the compiler may have run.
 */
export async function heldMs(
  probe: Probe,
  limitMs: number,
  attempt: (n: number) => Promise<unknown>,
): Promise<{ medianMs: number; held: number[] }> {
  const held: number[] = []
  for (let n = 0; n === 0 || (n < tries && held[0]! > limitMs); n++) {
    await probe.take()
    await attempt(n)
    held.push(await takeBlockedMs(probe))
  }
  return { medianMs: median(held), held }
}

async function medianBlockedMs(
  entryPoint: EntryPoint,
  text: string,
  probe: Probe,
  times: number = tries,
): Promise<number> {
  const blockedMs: number[] = []
  for (let n = 0; n < times; n++) blockedMs.push(await measureBlockedMs(entryPoint, text, probe))
  return median(blockedMs)
}

/** The factor by which a text of twice the length takes longer; undefined if the times are within the noise. */
async function measureGrowth(entryPoint: EntryPoint, { of }: Hostile, probe: Probe): Promise<number | undefined> {
  const to = Math.min(grown.to, entryPoint.maxBytes ?? defaultMaxBytes)
  const long = await medianBlockedMs(entryPoint, of(to), probe)
  if (long < (entryPoint.growthFromMs ?? noiseMs)) return undefined
  const short = await medianBlockedMs(entryPoint, of(to / 2), probe)
  return long / Math.max(short, 1)
}

/** Repeats a measurement above the limit, because the garbage collector may have run; long ones are repeated less often. */
async function confirmBlockedMs(entryPoint: EntryPoint, text: string, probe: Probe): Promise<number> {
  const first = await measureBlockedMs(entryPoint, text, probe)
  if (first <= maxBlockedMs) return first
  return medianBlockedMs(entryPoint, text, probe, first > 5 * maxBlockedMs ? 3 : tries)
}

/** The smallest of three measurements if the first exceeds the limit. */
async function confirmGrowth(entryPoint: EntryPoint, hostile: Hostile, probe: Probe): Promise<number | undefined> {
  let least = await measureGrowth(entryPoint, hostile, probe)
  for (let n = 0; n < 2 && least !== undefined && least > maxGrowth; n++) {
    const again = await measureGrowth(entryPoint, hostile, probe)
    least = again === undefined ? undefined : Math.min(least, again)
  }
  return least
}

async function measure(entryPoint: EntryPoint, hostile: Hostile, probe: Probe): Promise<Finding> {
  const bytes = entryPoint.maxBytes ?? defaultMaxBytes
  const blockedMs = await confirmBlockedMs(entryPoint, hostile.of(bytes), probe)
  const finding: Finding = { entryPoint: entryPoint.name, text: hostile.name, bytes, blockedMs }
  const { growthFromMs = noiseMs } = entryPoint
  if (blockedMs < growthFromMs || blockedMs > 5 * maxBlockedMs) return finding
  const growth = await confirmGrowth(entryPoint, hostile, probe)
  return { ...finding, ...(growth !== undefined && { growth }) }
}

/** Sends three short texts, so that compiling, opening and caching are not measured. */
async function warmUp({ submit, texts }: EntryPoint, probe: Probe): Promise<void> {
  for (const { of } of texts.slice(0, 3)) await submit(of(100))
  await probe.take()
}

/**
 * Whether a text belongs to the part of `HOSTILE_PART`, such as `2/4`: every fourth text, counted over all entry points, so
 * that entry points with few texts are also divided. Of fewer texts than parts it is one. Default: all.
 */
function isInPart(n: number, count: number): boolean {
  const [part = 1, parts = 1] = (process.env.HOSTILE_PART ?? '1/1').split('/').map(Number)
  const most = Math.min(parts, count)
  return n % most === (part - 1) % most
}

/**
 * Measures every text at every entry point in sequence. `HOSTILE_ENTRY_POINTS` selects those whose name contains it.
 */
export async function measureAll(entryPoints: readonly EntryPoint[], probe: Probe): Promise<Finding[]> {
  const findings: Finding[] = []
  const { HOSTILE_ENTRY_POINTS: wanted = '' } = process.env
  const chosen = entryPoints.filter(({ name }) => name.includes(wanted))
  const count = chosen.reduce((sum, { texts }) => sum + texts.length, 0)
  let before = 0
  const { warm } = probe
  for (const entryPoint of chosen) {
    const texts = entryPoint.texts.filter((_, n) => isInPart(before + n, count))
    before += entryPoint.texts.length
    const { name, warmUpGroup = name } = entryPoint
    if (texts.length > 0 && !warm.has(warmUpGroup)) await warmUp(entryPoint, probe)
    if (texts.length > 0) warm.add(warmUpGroup)
    for (const hostile of texts) findings.push(await measure(entryPoint, hostile, probe))
  }
  return findings
}

const sentence = ({ entryPoint, text, bytes, blockedMs, growth }: Finding) =>
  `${entryPoint}: ${text} (${bytes} bytes) blocked the main thread for ${blockedMs.toFixed(0)} ms${growth ? `, ${growth.toFixed(1)} times as long for twice as much` : ''}`

/** Sentences about the texts that blocked the main thread for longer than the limit. */
export const findSlow = (findings: readonly Finding[]): string[] =>
  findings.filter(({ blockedMs }) => blockedMs > maxBlockedMs).map(sentence)

export const findFaults = (findings: readonly Finding[]): string[] =>
  findings
    .filter(({ blockedMs, growth = 0 }) => blockedMs > failingBlockedMs || growth > maxGrowth)
    .sort((one, other) => other.blockedMs - one.blockedMs)
    .map(sentence)

/** One line for each group of entry points: the number of texts, and the text that blocked the main thread longest. */
export function table(groups: ReadonlyMap<string, readonly Finding[]>): string {
  const rows = [...groups].map(([name, findings]) => {
    const slowest = findings.toSorted((one, other) => other.blockedMs - one.blockedMs)[0]
    const growth = Math.max(0, ...findings.map((each) => each.growth ?? 0))
    const entryPoints = new Set(findings.map(({ entryPoint }) => entryPoint)).size
    return [
      name,
      `${entryPoints}`,
      `${findings.length}`,
      `${slowest?.blockedMs.toFixed(1) ?? '-'} ms`,
      growth > 0 ? `${growth.toFixed(1)} ×` : '-',
      slowest ? `${slowest.entryPoint}: ${slowest.text}` : '-',
    ]
  })
  const lines = [['group', 'entry points', 'texts', 'longest', 'growth', 'by'], ...rows]
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
