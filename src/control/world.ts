import type { Authenticate } from '#account/access.ts'
import type { AuthenticatePerson } from '#account/authenticatePerson.ts'
import type { Keyring } from '#account/keyring.ts'
import type { SealingKeys } from '#account/sealingKeys.ts'
import type { TrySignIn } from '#account/trySignIn.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { TryReplay } from '#delivery/replayAsk.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Rates } from '#plugin/plugin.ts'
import type { GuardPolicy } from '#provider/guard.ts'
import type { SendRequest } from '#provider/send.ts'
import type { RunCode } from '#sandbox/shared.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import type { HostProofs } from '#tag/hostProofs.ts'
import type { People } from '#user/people.ts'

/** What the control plane of one environment stands on. */
export type ControlWorld = {
  environment: EnvironmentName
  /** `{origin}/v1` or `{origin}/sandbox/v1` */
  baseUrl: string
  tagUrl(tagId: string): string
  brand: string
  clock: Clock
  log: Log
  store: Store
  stream: Stream
  keys: Keyring
  sealingKeys: SealingKeys
  snapshots: Snapshots
  /** What is known of the users of the tags. */
  people: People
  authenticate: Authenticate
  authenticatePerson: AuthenticatePerson
  /** Signs in by e-mail and password; the pages count the same attempts. */
  trySignIn: TrySignIn
  /** Asks deploy hooks; gives up after `hookLimits`. */
  send: SendRequest
  /** Runs customers' code behind the walls of the sandbox. */
  runCode: RunCode
  /** Which addresses it may reach there. */
  guard: GuardPolicy
  hostProofs: HostProofs
  /** Says what a replay would do. */
  tryReplay: TryReplay
  /** The operator's exchange rates, for previews. */
  rates?(): Rates | undefined
  /** how many calls a token, a person who is signed in, or an address without either may make in a minute */
  rateLimit: number
  /** Seconds after which to come again, while nothing can be written. */
  busy(): number | undefined
}
