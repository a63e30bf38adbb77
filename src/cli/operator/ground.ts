import { statfsSync } from 'node:fs'
import type { Authenticate } from '#account/access.ts'
import { authenticate } from '#account/authenticate.ts'
import { type LiveSealingKeys, openSealingKeys } from '#account/sealingKeys.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { type SettledWatch, watchSettled } from '#delivery/settled.ts'
import type { Checks } from '#http/health.ts'
import { type Intake, watchIntake } from '#http/overload.ts'
import type { Clock } from '#kit/clock.ts'
import { type Log, silent } from '#kit/log.ts'
import { watchLoop } from '#kit/loopDelay.ts'
import { type IntakeRate, openIntakeRate } from '#limit/intakeRate.ts'
import { countRefusedCalls } from '#limit/refusedCalls.ts'
import type { Stream } from '#stream/stream.ts'
import { openPeople, type People } from '#user/people.ts'
import { demoInboxName } from './firstRun.ts'
import { type Home, type HomeOptions, openHome } from './home.ts'

/** What the roles of one environment stand on while the server runs. */
export type Ground = Home & {
  stream: Stream
  intake: Intake
  /** How fast tags and teams may send. */
  intakeRate: IntakeRate
  /** What is known of the users of the tags: edge, worker and control share it. */
  people: People
  settled: SettledWatch
  sealingKeys: LiveSealingKeys
  authenticate: Authenticate
  /** The name of its demo inbox. */
  inbox: string
  close(): Promise<void>
}

/** The room on the disk of a folder, looked at every two seconds at most. */
function freeBytesOf(path: string, clock: Clock): () => number {
  let free = 0
  let until = Number.NEGATIVE_INFINITY
  return () => {
    if (clock.now() < until) return free
    until = clock.now() + 2_000
    const { bavail, bsize } = statfsSync(path)
    free = bavail * bsize
    return free
  }
}

/** Opens an environment for serving. What was opened is closed again when the rest cannot be. */
export async function openGround(
  environment: EnvironmentName,
  options: HomeOptions,
  log: Log = silent,
): Promise<Ground> {
  await using opened = new AsyncDisposableStack()
  const { dir, adapters, clock } = options
  const home = await openHome(environment, options)
  opened.defer(() => home.store.close())
  const stream = await adapters.openStream(dir.stream(environment), clock)
  opened.defer(() => stream.close())
  const loop = watchLoop()
  opened.defer(async () => loop.stop())
  const intake = watchIntake(stream, {
    clock,
    freeBytes: freeBytesOf(dir.folder(environment), clock),
    loopDelayMs: loop.ms,
    limits: { freeBytes: options.settings.minFreeMb * 1024 * 1024 },
  })
  const closing = new AbortController()
  const refusedCalls = countRefusedCalls({ ...home, log }, closing.signal)
  opened.defer(() => {
    closing.abort()
    return refusedCalls.flush()
  })
  const sealingKeys = await openSealingKeys(home.store, home.keys, clock)
  const inbox = await demoInboxName(home)
  const kept = opened.move()
  return {
    ...home,
    stream: { ...stream, append: intake.append },
    intake,
    intakeRate: openIntakeRate({ clock, limits: options.settings, refused: refusedCalls.add }),
    people: openPeople({ ...home, log }, closing.signal),
    settled: watchSettled({ ...home, stream }),
    sealingKeys,
    authenticate: authenticate(home),
    inbox,
    close: () => kept.disposeAsync(),
  }
}

/** What must hold for this environment to do its work. */
export function groundChecks({ environment, store, intake, clock }: Ground): Checks {
  return {
    [`${environment}.store`]: () =>
      store.write([{ put: 'setting', name: 'checked.at', value: new Date(clock.now()).toISOString() }]),
    [`${environment}.stream`]: () => {
      const overload = intake.overload()
      if (overload) throw new Error(`takes no events now: ${overload.why}`)
    },
  }
}
