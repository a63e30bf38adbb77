/**
 * The CPU profile of intake and delivery by thread: `npm run bench:profile`. Writes files for the inspector or
 * https://www.speedscope.app to `--out`, and prints the ten most expensive functions of each thread that was active during
 * the load.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bareTag, startMeasured, tagWith } from './aglet.ts'
import { single } from './load.ts'
import { describeMachine, machineLine } from './machine.ts'
import { functionsOf, type Profile, threadOf, type Window } from './profiled.ts'
import { eventsFor, sampleDelivery, sampleIntake } from './sample.ts'
import { startVendor, using } from './target.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    out: { type: 'string' },
    top: { type: 'string', default: '10' },
  },
})
const seconds = Number(flags.seconds)
const out = flags.out ?? mkdtempSync(join(tmpdir(), 'aglet-profile-'))
/** A thread below this share of the busiest thread is left out. */
const leastShare = 0.02

const say = (text: string) => void process.stdout.write(`${text}\n`)

/** Every thread of the process writes its profile when it ends; the flags are passed to Node in the environment. */
function profiled(name: string): { folder: string; environment: Record<string, string> } {
  const folder = join(out, name)
  mkdirSync(folder, { recursive: true })
  return { folder, environment: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` } }
}

function print(name: string, folder: string, window: Window): void {
  const read = globSync('*.cpuprofile', { cwd: folder }).map((file) => {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    return { file, thread: threadOf(profile), ...functionsOf(profile, window) }
  })
  const busiest = Math.max(...read.map(({ busyMs }) => busyMs))
  for (const { file, thread, busyMs, all } of read.sort((one, other) => other.busyMs - one.busyMs)) {
    if (busyMs < busiest * leastShare) continue
    say(`\n── ${name}, ${thread}: ${(busyMs / 1_000).toFixed(1)} s busy (${join(folder, file)})`)
    for (const { what, selfMs } of all.slice(0, Number(flags.top)))
      say(`${((selfMs / busyMs) * 100).toFixed(1).padStart(6)} %  ${selfMs.toFixed(0).padStart(7)} ms  ${what}`)
  }
}

const nowUs = () => Number(process.hrtime.bigint() / 1_000n)

/** The start and end of some work. */
async function windowOf(work: () => Promise<unknown>): Promise<Window> {
  const fromUs = nowUs()
  await work()
  return { fromUs, toUs: nowUs() }
}

async function profileIntake(): Promise<void> {
  const { folder, environment } = profiled('intake')
  let window: Window
  await using([startMeasured({ role: 'edge', environment, ...bareTag })], async ([target]) => {
    await sampleIntake(target!, Math.min(2, seconds), single) // warm-up
    window = await windowOf(() => sampleIntake(target!, seconds, single))
  })
  print('intake', folder, window!)
}

async function profileDelivery(): Promise<void> {
  const { folder, environment } = profiled('delivery')
  let window: Window
  await using([startVendor()], async ([vendor]) => {
    const made = startMeasured({ environment, make: (aglet) => tagWith(aglet, 'bench', 1, vendor!.url) })
    await using([made], async ([target]) => {
      const through = { vendor: vendor!, channels: 1, ask: single }
      const events = await eventsFor(target!, { seconds, isQuick: false }, through)
      window = await windowOf(() => sampleDelivery(target!, { ...through, events }))
    })
  })
  print('intake, planning and delivery', folder, window!)
}

say(machineLine(describeMachine()))
await profileIntake()
await profileDelivery()
process.exit(0)
