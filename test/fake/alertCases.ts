import { maxAlertRules, maxContactPoints } from '#contract/alertKinds.ts'
import type { FaultName } from '#contract/fault.ts'
import type { OperationId } from '#contract/operations.ts'
import { newId } from '#kit/id.ts'
import { type ControlAnswer, type ControlRequest, type Customer, callControl, type TestControl } from './testControl.ts'

export type AlertOperation =
  | 'listAlertRules'
  | 'putAlertRule'
  | 'muteAlertRule'
  | 'muteAlertRules'
  | 'deleteAlertRule'
  | 'listIncidents'
  | 'listContactPoints'
  | 'putContactPoint'
  | 'confirmContactPoint'
  | 'testContactPoint'
  | 'deleteContactPoint'

type AlertCases = {
  good: Record<AlertOperation, () => ControlRequest | Promise<ControlRequest>>
  own: { [Id in OperationId]?: Partial<Record<FaultName, () => Promise<ControlAnswer>>> }
}

export const slackUrl = 'https://ci.example.com/services/T0/B0/key'

/** Alert rules and contact points for the cases of the contract. */
export function alertCases(control: TestControl, customer: Customer): AlertCases {
  const call = (id: AlertOperation, asked: ControlRequest = {}) => callControl(control, id, customer, asked)
  const none = { values: { name: 'none' } }
  const slack = (name: string) => ({ values: { name }, body: { kind: 'slack', url: slackUrl } })
  const mail = (name: string) => ({ values: { name }, body: { kind: 'email', address: `${name}@shop.example` } })
  const named = async (name: string) => {
    await call('putContactPoint', slack(name))
    return { values: { name } }
  }
  const rule = async (name: string) => {
    await named('ops')
    return { values: { name }, body: { kind: 'channelStopped', tagId: customer.tagId, to: ['ops'] } }
  }
  const madeRule = async (name: string) => {
    await call('putAlertRule', await rule(name))
    return { values: { name } }
  }
  /** Sends a code by mail to a new address. */
  async function unconfirmed() {
    await dropContacts()
    // Codes have a rate limit.
    control.clock.set(200_000)
    const asked = mail(`to-${newId('x', control.clock.now())}`)
    await call('putContactPoint', asked)
    const code = /\d{8}/.exec(control.mails.at(-1)!.paragraphs.join(' '))![0]
    return { values: asked.values, body: { code } }
  }
  async function withMany(
    count: number,
    put: (name: string) => Promise<ControlAnswer>,
    drop: (name: string) => Promise<ControlAnswer>,
  ): Promise<ControlAnswer> {
    const made: string[] = []
    let last: ControlAnswer
    do {
      const name = `many ${made.length}`
      last = await put(name)
      made.push(name)
    } while (last.status === 200 && made.length <= count)
    for (const name of made) await drop(name)
    return last
  }
  async function dropContacts(): Promise<void> {
    const { body } = await call('listContactPoints', { values: { limit: 200 } })
    for (const { name } of body.contactPoints as { name: string }[])
      await call('deleteContactPoint', { values: { name } })
  }
  async function tooManyCodes(): Promise<ControlAnswer> {
    for (let n = 0; ; n++) {
      const answer = await call('putContactPoint', mail('crowd'))
      if (answer.status !== 200 || n > 50) {
        control.clock.set(3_600_000)
        return answer
      }
    }
  }
  return {
    good: {
      listAlertRules: () => ({}),
      putAlertRule: () => rule('stopped'),
      muteAlertRule: async () => ({ ...(await madeRule('muted')), body: { until: control.clock.now() + 1 } }),
      muteAlertRules: () => ({ body: { until: control.clock.now() + 1 } }),
      deleteAlertRule: () => madeRule('gone'),
      listIncidents: () => ({}),
      listContactPoints: () => ({}),
      putContactPoint: () => slack('ops'),
      confirmContactPoint: unconfirmed,
      testContactPoint: () => named('ops'),
      deleteContactPoint: () => named('gone'),
    },
    own: {
      putAlertRule: {
        tagUnknown: async () => {
          const { values, body } = await rule('stopped')
          return call('putAlertRule', { values, body: { ...body, tagId: newId('tag', 0) } })
        },
        tooManyAlertRules: () =>
          withMany(
            maxAlertRules,
            async (name) => call('putAlertRule', await rule(name)),
            (name) => call('deleteAlertRule', { values: { name } }),
          ),
      },
      muteAlertRule: { alertRuleUnknown: () => call('muteAlertRule', { ...none, body: { until: 0 } }) },
      deleteAlertRule: { alertRuleUnknown: () => call('deleteAlertRule', none) },
      putContactPoint: {
        tooManyContactPoints: () =>
          withMany(
            maxContactPoints,
            (name) => call('putContactPoint', slack(name)),
            (name) => call('deleteContactPoint', { values: { name } }),
          ),
        tooManyCodes,
      },
      confirmContactPoint: {
        contactPointUnknown: () => call('confirmContactPoint', { ...none, body: { code: '12345678' } }),
        contactCodeWrong: async () => {
          const { values, body } = await unconfirmed()
          return call('confirmContactPoint', { values, body: { code: `${(Number(body.code) % 9) + 1}0000000` } })
        },
      },
      testContactPoint: {
        contactPointUnknown: () => call('testContactPoint', none),
        contactPointUnconfirmed: async () => call('testContactPoint', { values: (await unconfirmed()).values }),
      },
      deleteContactPoint: { contactPointUnknown: () => call('deleteContactPoint', none) },
    },
  }
}
