/**
 * Where the CPU goes in the intake and in delivery, thread by thread: `npm run bench:profile`. Writes what the inspector or
 * https://www.speedscope.app reads into `--out`, and prints the ten most expensive functions of each thread that did something.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bareTag, startMeasured, tagWith } from './aglet.ts'
import { single } from './load.ts'
import { describeMachine, machineLine } from './machine.ts'
import { functionsOf, type Profile, threadOf } from './profiled.ts'
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
/** A thread that did less than this share of what the busiest did is left out. */
const leastShare = 0.02

const say = (text: string) => void process.stdout.write(`${text}\n`)

/** Every thread of the process writes its profile when it ends; Node takes the flags from here. */
function profiled(name: string): { folder: string; environment: Record<string, string> } {
  const folder = join(out, name)
  mkdirSync(folder, { recursive: true })
  return { folder, environment: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` } }
}

function print(name: string, folder: string): void {
  const read = globSync('*.cpuprofile', { cwd: folder }).map((file) => {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    return { file, thread: threadOf(profile), ...functionsOf(profile) }
  })
  const busiest = Math.max(...read.map(({ busyMs }) => busyMs))
  for (const { file, thread, busyMs, all } of read.sort((one, other) => other.busyMs - one.busyMs)) {
    if (busyMs < busiest * leastShare) continue
    say(`\n── ${name}, ${thread}: ${(busyMs / 1_000).toFixed(1)} s of CPU (${join(folder, file)})`)
    for (const { what, selfMs } of all.slice(0, Number(flags.top)))
      say(`${((selfMs / busyMs) * 100).toFixed(1).padStart(6)} %  ${selfMs.toFixed(0).padStart(7)} ms  ${what}`)
  }
}

async function profileIntake(): Promise<void> {
  const { folder, environment } = profiled('intake')
  await using([startMeasured({ role: 'edge', environment, ...bareTag })], async ([target]) => {
    await sampleIntake(target!, seconds, single)
  })
  print('intake', folder)
}

async function profileDelivery(): Promise<void> {
  const { folder, environment } = profiled('delivery')
  await using([startVendor()], async ([vendor]) => {
    const made = startMeasured({ environment, make: (aglet) => tagWith(aglet, 'bench', 1, vendor!.url) })
    await using([made], async ([target]) => {
      const through = { vendor: vendor!, channels: 1, ask: single }
      await sampleDelivery(target!, { ...through, events: await eventsFor(target!, seconds, through) })
    })
  })
  print('intake, planning and delivery', folder)
}

say(machineLine(describeMachine()))
await profileIntake()
await profileDelivery()
process.exit(0)
