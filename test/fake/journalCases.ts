import type { channelOperations } from '#contract/channel.ts'
import type { deliveryOperations } from '#contract/delivery.ts'
import type { exportOperations } from '#contract/export.ts'
import type { FaultName } from '#contract/fault.ts'
import type { intakeOperations } from '#contract/intake.ts'
import type { journeyOperations } from '#contract/journey.ts'
import type { liveOperations } from '#contract/live.ts'
import type { matchOperations } from '#contract/matchQuality.ts'
import type { statsOperations } from '#contract/stats.ts'
import type { runOperations } from '#contract/webhookRun.ts'
import { newId } from '#kit/id.ts'
import type { TeamLimits } from '#settings/teamLimits.ts'
import { makePerson, pageHeaders } from './sessionCases.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  makeScript,
  type TestControl,
  withLimits,
} from './testControl.ts'
import { makeEvent } from './testEvents.ts'

type JournalOperationId =
  | keyof typeof deliveryOperations
  | keyof typeof journeyOperations
  | keyof typeof statsOperations
  | keyof typeof channelOperations
  | keyof typeof intakeOperations
  | keyof typeof matchOperations
  | keyof typeof liveOperations
  | keyof typeof exportOperations
  | keyof typeof runOperations
type JournalCases = {
  /** A request of each operation that succeeds. */
  good: Record<JournalOperationId, () => ControlRequest>
  /** One case for each fault in the row of an operation. */
  own: Record<JournalOperationId, Partial<Record<FaultName, () => Promise<ControlAnswer>>>>
  /** The fault for an object of another team. */
  theirs: Partial<Record<JournalOperationId, FaultName>>
}

/** The cases of the operations that read the journal. The 200 of a stream, which does not end, has its own test. */
export async function journalCases(control: TestControl, customer: Customer): Promise<JournalCases> {
  const { tagId } = customer
  const eventId = await makeEvent(control, customer, 'an event/é')
  const scriptId = await makeScript(control, customer, { name: 'with runs' })
  const call = (id: JournalOperationId, asked: ControlRequest) => callControl(control, id, customer, asked)
  const own = (id: JournalOperationId) => ({
    tagUnknown: () => call(id, { values: { tagId: newId('tag', 0), eventId } }),
  })
  /** Opens two streams, which is the limit, and calls a third. */
  async function oneTooMany(limits: Partial<TeamLimits>, headers: Record<string, string>): Promise<ControlAnswer> {
    const closing = new AbortController()
    const url = `/v1/tag/${tagId}/live`
    const watch = () => control.app.inject({ url, headers, payloadAsStream: true, signal: closing.signal })
    return withLimits(control, limits, async () => {
      await Promise.all([watch(), watch()])
      return call('watchDeliveries', { values: { tagId }, headers: { authorization: undefined, ...headers } })
    }).finally(() => closing.abort())
  }
  async function ofPerson(): Promise<Record<string, string>> {
    const environment = control.environments[customer.environment]
    const personId = await makePerson(environment, `${newId('per', 0)}@example.com`)
    const row = { teamId: customer.teamId, personId, role: 'viewer', createdAt: 0 } as const
    await environment.store.write([{ account: { add: 'member', row } }])
    const { authorization: _, ...headers } = await pageHeaders(control, personId, customer.environment)
    return { ...headers, 'team-id': customer.teamId }
  }
  const ofToken = { authorization: `Bearer ${customer.token}`, 'team-id': customer.teamId }
  return {
    good: {
      listEvents: () => ({ values: { tagId } }),
      readEvent: () => ({ values: { tagId, eventId } }),
      listDeliveries: () => ({ values: { tagId } }),
      readStats: () => ({ values: { tagId } }),
      readTeamStats: () => ({}),
      readFunnel: () => ({ values: { tagId } }),
      listChannels: () => ({ values: { tagId } }),
      readIntake: () => ({ values: { tagId } }),
      readMatchQuality: () => ({ values: { tagId } }),
      listRuns: () => ({ values: { scriptId } }),
      exportTag: () => ({ values: { tagId, of: 'event' } }),
      exportAudit: () => ({}),
      watchDeliveries: () => ({ values: { tagId } }),
    },
    own: {
      listEvents: own('listEvents'),
      readEvent: {
        ...own('readEvent'),
        eventUnknown: () => call('readEvent', { values: { tagId, eventId: 'nope' } }),
      },
      listDeliveries: own('listDeliveries'),
      readStats: own('readStats'),
      readTeamStats: {},
      readFunnel: own('readFunnel'),
      listChannels: own('listChannels'),
      readIntake: own('readIntake'),
      readMatchQuality: own('readMatchQuality'),
      listRuns: { scriptOrTagNotFound: () => call('listRuns', { values: { scriptId: 'scr_nope' } }) },
      exportTag: { tagUnknown: () => call('exportTag', { values: { tagId: newId('tag', 0), of: 'event' } }) },
      exportAudit: {},
      watchDeliveries: {
        ...own('watchDeliveries'),
        tooManyWatching: () => oneTooMany({ streamsPerTeam: 2 }, ofToken),
        tooManyWatchingPerson: async () => oneTooMany({ streamsPerPerson: 2 }, await ofPerson()),
      },
    },
    theirs: {
      listEvents: 'tagUnknown',
      readEvent: 'tagUnknown',
      listDeliveries: 'tagUnknown',
      readStats: 'tagUnknown',
      readFunnel: 'tagUnknown',
      listChannels: 'tagUnknown',
      readIntake: 'tagUnknown',
      readMatchQuality: 'tagUnknown',
      listRuns: 'scriptOrTagNotFound',
      exportTag: 'tagUnknown',
      watchDeliveries: 'tagUnknown',
    },
  }
}
