import { createConnection, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Hostile } from './corpus.ts'
import type { Held } from './probe.ts'

/** Where a stranger's text goes in. `knock` sends it and resolves when all that the server does with it is done. */
export type Door = {
  name: string
  /** Bytes of the longest text that is sent; where it is none, a mebibyte. */
  most?: number
  texts: readonly Hostile[]
  knock(text: string): Promise<unknown>
}

/** The main thread is to be held for no longer by one request. A longer time is printed. */
const mostHeldMs = 100
/** A longer time fails: machines and moments differ by a factor of two, and a text that is not linear by far more. */
const failedHeldMs = 250
/** Below this the clock says more of the machine than of the code. */
const noiseMs = 20
const mostGrowth = 2.5
const bytesAtMost = 1024 * 1024
const grown = { from: 64 * 1024, to: 128 * 1024 }
const tries = 5

/** What one text did at one door. `growth`: how many times as long twice the text took, where that could be measured. */
export type Finding = { door: string; text: string; bytes: number; heldMs: number; growth?: number }

export type Probe = { take(): Promise<Held>; close(): void }

/** Asks the probe of a server what it has measured since it was last asked. */
export async function openProbe(path: string): Promise<Probe> {
  const socket: Socket = createConnection(path)
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    async take() {
      socket.write('?\n')
      const { value } = await lines.next()
      return JSON.parse(value as string) as Held
    },
    close: () => socket.destroy(),
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** For how long one text holds the main thread: its own time, and no more than passed. */
async function heldBy(door: Door, text: string, probe: Probe): Promise<number> {
  await door.knock(text)
  const { wallMs, cpuMs } = await probe.take()
  return Math.max(0, Math.min(wallMs, cpuMs))
}

async function medianHeld(door: Door, text: string, probe: Probe): Promise<number> {
  const held: number[] = []
  for (let n = 0; n < tries; n++) held.push(await heldBy(door, text, probe))
  return median(held)
}

/** How many times as long a text of twice the length takes; undefined where both are too quick to say. */
async function growthOf(door: Door, { of }: Hostile, probe: Probe): Promise<number | undefined> {
  const to = Math.min(grown.to, door.most ?? bytesAtMost)
  const long = await medianHeld(door, of(to), probe)
  if (long < noiseMs) return undefined
  const short = await medianHeld(door, of(to / 2), probe)
  return long / Math.max(short, 1)
}

/** A little more than is allowed is measured again: the collector may have run. A lot more never has another cause. */
async function surelyHeld(door: Door, text: string, probe: Probe): Promise<number> {
  const first = await heldBy(door, text, probe)
  if (first <= mostHeldMs || first > 5 * mostHeldMs) return first
  return medianHeld(door, text, probe)
}

/** The least of several measurements, where the first is too much. */
async function surelyGrown(door: Door, hostile: Hostile, probe: Probe): Promise<number | undefined> {
  let least = await growthOf(door, hostile, probe)
  for (let n = 0; n < 2 && least !== undefined && least > mostGrowth; n++) {
    const again = await growthOf(door, hostile, probe)
    least = again === undefined ? undefined : Math.min(least, again)
  }
  return least
}

async function look(door: Door, hostile: Hostile, probe: Probe): Promise<Finding> {
  const bytes = door.most ?? bytesAtMost
  const heldMs = await surelyHeld(door, hostile.of(bytes), probe)
  const finding: Finding = { door: door.name, text: hostile.name, bytes, heldMs }
  if (heldMs < noiseMs || heldMs > 5 * mostHeldMs) return finding
  const growth = await surelyGrown(door, hostile, probe)
  return { ...finding, ...(growth !== undefined && { growth }) }
}

/** What is done for the first time is compiled, opened and cached: that is no text's doing. */
async function warmUp({ knock, texts }: Door, probe: Probe): Promise<void> {
  for (const { of } of texts.slice(0, 3)) await knock(of(100))
  await probe.take()
}

/** The texts of one part of `HOSTILE_PART`, such as `2/4`: each fourth text from the second on. Default: all. */
function partOf(texts: readonly Hostile[]): readonly Hostile[] {
  const [part = 1, parts = 1] = (process.env.HOSTILE_PART ?? '1/1').split('/').map(Number)
  return texts.filter((_, n) => n % parts === part - 1)
}

/** Every text at every door, one after the other; `HOSTILE_DOORS` chooses those whose name holds it. */
export async function lookAtAll(doors: readonly Door[], probe: Probe): Promise<Finding[]> {
  const findings: Finding[] = []
  const { HOSTILE_DOORS: wanted = '' } = process.env
  for (const door of doors.filter(({ name }) => name.includes(wanted))) {
    const texts = partOf(door.texts)
    if (texts.length > 0) await warmUp(door, probe)
    for (const hostile of texts) findings.push(await look(door, hostile, probe))
  }
  return findings
}

const sentence = ({ door, text, bytes, heldMs, growth }: Finding) =>
  `${door}: ${text} (${bytes} bytes) held the main thread for ${heldMs.toFixed(0)} ms${growth ? `, ${growth.toFixed(1)} times as long for twice as much` : ''}`

/** What held the main thread for longer than it is to be held. */
export const slowOf = (findings: readonly Finding[]): string[] =>
  findings.filter(({ heldMs }) => heldMs > mostHeldMs).map(sentence)

export const faultsOf = (findings: readonly Finding[]): string[] =>
  findings
    .filter(({ heldMs, growth = 0 }) => heldMs > failedHeldMs || growth > mostGrowth)
    .sort((one, other) => other.heldMs - one.heldMs)
    .map(sentence)

/** One line for each group of doors: how many texts it was sent, and the one that held the main thread longest. */
export function table(groups: ReadonlyMap<string, readonly Finding[]>): string {
  const rows = [...groups].map(([name, findings]) => {
    const slowest = findings.toSorted((one, other) => other.heldMs - one.heldMs)[0]
    const growth = Math.max(0, ...findings.map((each) => each.growth ?? 0))
    const doors = new Set(findings.map(({ door }) => door)).size
    return [
      name,
      `${doors}`,
      `${findings.length}`,
      `${slowest?.heldMs.toFixed(1) ?? '-'} ms`,
      growth > 0 ? `${growth.toFixed(1)} ×` : '-',
      slowest ? `${slowest.door}: ${slowest.text}` : '-',
    ]
  })
  const lines = [['group', 'doors', 'texts', 'longest', 'growth', 'by'], ...rows]
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
