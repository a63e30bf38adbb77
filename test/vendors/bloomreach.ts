import { Type } from '#contract/schema.ts'
import { basicOf, currency, type Got, insist, keyProblem, type MockVendor, text, unless } from './vendor.ts'

const Ids = Type.Record(Type.String({ pattern: '^[\\w-]+$' }), text, { minProperties: 1 })
const seconds = Type.Number({ maximum: 9_999_999_999 })
const amount = Type.Optional(Type.Number())
const insistOf: Record<string, (value: unknown) => string[]> = {
  'customers/events': insist(
    Type.Object({
      customer_ids: Ids,
      event_type: text,
      timestamp: Type.Optional(seconds),
      properties: Type.Object({
        total_price: amount,
        local_currency: Type.Optional(currency),
        product_ids: Type.Optional(Type.Array(text)),
        product_list: Type.Optional(Type.Array(Type.Object({ product_id: text, quantity: Type.Number() }))),
      }),
    }),
  ),
  customers: insist(
    Type.Object({ customer_ids: Ids, properties: Type.Object({}), update_timestamp: Type.Optional(seconds) }),
  ),
}

type Command = { name?: string; data?: unknown }

/** The commands of a batch; a single call is one. */
function commandsOf({ path, json }: Got): Command[] {
  const [, name = ''] = /^\/track\/v2\/projects\/[\w-]+\/(.+)$/.exec(path) ?? []
  return name === 'batch' ? ((json as { commands?: Command[] } | undefined)?.commands ?? []) : [{ name, data: json }]
}

const wrongWith = ({ name = '', data }: Command): string[] => insistOf[name]?.(data) ?? ['The route is not there.']
const refusal = (status: number, sentence: string) => ({ status, json: { success: false, errors: [sentence] } })

/**
 * https://documentation.bloomreach.com/engagement/docs/add-event,
 * https://documentation.bloomreach.com/engagement/docs/batch-commands-2
 */
export const bloomreach: MockVendor = {
  hosts: /^api(-\w+)?\.exponea\.com$/,
  check(got) {
    const commands = commandsOf(got)
    const { user, password } = basicOf(got) ?? {}
    return {
      key: [...keyProblem(user), ...keyProblem(password)],
      payload: [
        ...unless(got.method === 'POST', 'The method is not allowed.'),
        ...unless(commands.length > 0 && commands.length <= 50, 'A batch has 1 to 50 commands.'),
        ...commands.flatMap(wrongWith),
      ],
    }
  },
  good: (got) => {
    const results = commandsOf(got).map(() => ({ success: true, errors: [] }))
    return {
      status: 200,
      json: got.path.endsWith('/batch') ? { success: true, results } : { success: true, errors: [] },
    }
  },
  failures: {
    badKey: { reply: (says) => refusal(401, says), means: 'keyRejected' },
    badPayload: { reply: (says) => refusal(400, says), means: 'payloadRefused' },
    inside: { reply: (says) => refusal(200, says), means: 'payloadRefused' },
    noRights: { reply: (says) => refusal(403, says), means: 'payloadRefused' },
    throttled: { reply: (says) => refusal(429, says), means: 'throttled' },
  },
}
