import type { Keyring } from '#account/keyring.ts'
import type { FindPersonAccess } from '#account/personAccess.ts'
import type { AuthenticatePerson } from '#account/personAuthenticator.ts'
import type { SandboxLinks } from '#account/sandboxLinks.ts'
import type { SealingKeys } from '#account/sealingKeys.ts'
import type { SignInMethods } from '#account/signInMethods.ts'
import type { AuthenticateToken } from '#account/teamAccess.ts'
import type { AlertPage } from '#alert/alertPage.ts'
import type { SendAlertMail } from '#alert/sendToContact.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { OperationId, operations } from '#contract/operations.ts'
import type { RunTest } from '#delivery/testRun.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import type { IntakeLog } from '#journal/intakeLog.ts'
import type { RunLog } from '#journal/runLog.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Slots } from '#limit/slots.ts'
import type { TokenIssueRate } from '#limit/tokenIssueRate.ts'
import type { Rates } from '#plugin/plugin.ts'
import type { GuardPolicy } from '#provider/engine/outboundGuard.ts'
import type { SendRequest } from '#provider/engine/send.ts'
import type { ParseCode } from '#sandbox/parseCode.ts'
import type { RunCode } from '#sandbox/sharedSandbox.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { VetAddress } from '#script/vetAddress.ts'
import type { TeamLimits } from '#settings/teamLimits.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import type { HostProofs } from '#tag/hostProofs.ts'
import type { Profiles } from '#user/profiles.ts'
import type { RunDryRun } from './replayRequest.ts'
import type { ServerReport } from './serverReport.ts'

/** The dependencies of the control plane of one environment. */
export type ControlDeps = SignInMethods & {
  /** Absent in the sandbox, and if this process does not serve it. */
  sandboxLinks?: SandboxLinks
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
  /** The user profiles of all tags. */
  profiles: Profiles
  authenticate: AuthenticateToken
  authenticatePerson: AuthenticatePerson
  /** The access of a signed-in person to a team, by their role. */
  findPersonAccess: FindPersonAccess
  /** Calls deploy hooks and requests vendor ratings, within `hookLimits`. */
  send: SendRequest
  /** Sends a mail about an alert; absent without a mail server. */
  sendAlertMail?: SendAlertMail
  /** The page of the dashboard that explains an alert. */
  alertPage: AlertPage
  /** Parses customers' code. */
  parseCode: ParseCode
  /** Checks an address with the guard of `send`, without a request. */
  vetAddress: VetAddress
  /** Runs customers' code in the sandbox. */
  runCode: RunCode
  /** The addresses that sandboxed code may call. */
  guard: GuardPolicy
  /** The names of the demo inboxes, addresses of this server that channels may call. */
  demoInboxes: readonly string[]
  hostProofs: HostProofs
  /** Counts the intake of the tags. */
  intakeLog: IntakeLog
  /** Journals the runs of webhooks. */
  runLog: Pick<RunLog, 'flush'>
  /** Plans a test event, and sends it if asked to. */
  runTest: RunTest
  /** How long the journal is kept, in ms. */
  journalMs: number
  /** Counts what a replay would send. */
  dryRunReplay: RunDryRun
  /** The operator's exchange rates, for previews. */
  rates?(): Rates | undefined
  /** The limits of each team. */
  limits: TeamLimits
  /** The open live streams of each team and of each person, and the running searches of each team. */
  streamSlots: Slots
  personStreamSlots: Slots
  querySlots: Slots
  /** Limits the access tokens that each application is issued. */
  tokenRate: TokenIssueRate
  /** Calls per minute of a token, of a signed-in person, or of an IP address without either. */
  rateLimit(): number
  /** The server report for the operator. */
  server: ServerReport
  /** Seconds for `Retry-After` while the store cannot write; undefined otherwise. */
  retryAfterSeconds(): number | undefined
}

/** Answers the calls of one operation. */
export type AnswerFor<Id extends OperationId> = OperationAnswer<(typeof operations)[Id], ControlDeps>
