import type { Authenticate } from '#account/access.ts'
import type { AuthenticatePerson } from '#account/authenticatePerson.ts'
import type { Keyring } from '#account/keyring.ts'
import type { SealingKeys } from '#account/sealingKeys.ts'
import type { SignIns } from '#account/signIns.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { TeamLimits } from '#contract/teamLimits.ts'
import type { TryReplay } from '#delivery/replayAsk.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Seats } from '#limit/seats.ts'
import type { TokenRate } from '#limit/tokenRate.ts'
import type { Rates } from '#plugin/plugin.ts'
import type { GuardPolicy } from '#provider/engine/outboundGuard.ts'
import type { SendRequest } from '#provider/engine/send.ts'
import type { ParseCode } from '#sandbox/parse.ts'
import type { RunCode } from '#sandbox/shared.ts'
import type { VetAddress } from '#script/hookAddress.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import type { HostProofs } from '#tag/hostProofs.ts'
import type { People } from '#user/people.ts'

/** What the control plane of one environment stands on. */
export type ControlWorld = SignIns & {
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
  /** Asks deploy hooks; gives up after `hookLimits`. */
  send: SendRequest
  /** Parses customers' code. */
  parseCode: ParseCode
  /** Asks the guard of `send` about an address, and calls nothing. */
  vetAddress: VetAddress
  /** Runs customers' code behind the walls of the sandbox. */
  runCode: RunCode
  /** Which addresses it may reach there. */
  guard: GuardPolicy
  hostProofs: HostProofs
  /** Says what a replay would do. */
  tryReplay: TryReplay
  /** The operator's exchange rates, for previews. */
  rates?(): Rates | undefined
  /** What a team may use. */
  limits: TeamLimits
  /** The open streams of each team, and its searches that are under way. */
  streamSeats: Seats
  querySeats: Seats
  /** How many access tokens each application is issued. */
  tokenRate: TokenRate
  /** how many calls a token, a person who is signed in, or an address without either may make in a minute */
  rateLimit: number
  /** Seconds after which to come again, while nothing can be written. */
  busy(): number | undefined
}
