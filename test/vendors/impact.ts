import { Type } from '#contract/schema.ts'
import { basicOf, currency, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'

const whole = Type.String({ pattern: '^\\d+$' })
const amount = Type.String({ pattern: '^\\d+(\\.\\d+)?$' })
const insistForm = insist(
  Type.Object({
    CampaignId: whole,
    EventTypeId: whole,
    EventDate: time,
    OrderId: text,
    CustomerEmail: Type.Optional(Type.String({ pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$' })),
    CustomerId: Type.Optional(Type.String({ pattern: '^[^@]+$' })),
    CustomerCountry: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
    CurrencyCode: Type.Optional(currency),
    OrderSubTotalPostDiscount: Type.Optional(amount),
    OrderDiscount: Type.Optional(amount),
  }),
)

const keys = ['ClickId', 'CustomerId', 'CustomProfileId', 'OrderPromoCode', 'MediaId', 'UniqueUrl']

/** Line items are numbered from 1 without gaps; each has a quantity, and values need a currency. */
function itemProblems(form: Record<string, string>): string[] {
  const numbers = Object.keys(form).flatMap((name) => /^Item[A-Z]\w*?(?<!\d)(\d+)$/.exec(name)?.[1] ?? [])
  const last = Math.max(0, ...numbers.map(Number))
  const isPriced = Object.keys(form).some((name) => /^(ItemPrice|ItemSubTotal)\d|^OrderSubTotal/.test(name))
  return [
    ...unless(new Set(numbers).size === last, 'Items are not numbered from 1.'),
    ...unless(
      Array.from({ length: last }).every((_, i) => Number(form[`ItemQuantity${i + 1}`]) > 0),
      'ItemQuantity is missing.',
    ),
    ...unless(last === 0 || !form.OrderSubTotalPostDiscount, 'Items and an order amount exclude each other.'),
    ...unless(!isPriced || Boolean(form.CurrencyCode), 'CurrencyCode is required with amounts.'),
  ]
}

const failed = (status: number, message: string) => ({
  status,
  json: { Status: 'ERROR', errors: [{ field: '', level: 'ERROR', message }] },
})

/** https://integrations.impact.com/impact-brand/reference/the-conversions-api */
export const impact: MockVendor = {
  hosts: /^api\.impact\.com$/,
  check(got) {
    const account = basicOf(got)
    const [, sid] = /^\/Advertisers\/([^/]+)\/Conversions$/.exec(got.path) ?? []
    return {
      key: [...keyProblem(account?.password), ...unless(account?.user === sid, 'This token is of another account.')],
      payload: [
        ...unless(got.method === 'POST' && sid !== undefined, 'The path is not there.'),
        ...unless(/^application\/x-www-form-urlencoded/.test(got.headers['content-type'] ?? ''), 'Send a form.'),
        ...insistForm(got.form),
        ...itemProblems(got.form),
        ...unless(
          keys.some((key) => got.form[key]),
          'An attribution key is required.',
        ),
      ],
    }
  },
  good: ({ path }) => ({
    status: 200,
    json: { Status: 'QUEUED', QueuedUri: path.replace(/Conversions$/, 'APISubmissions/A-1') },
  }),
  failures: {
    badKey: { reply: (says) => ({ status: 401, json: { status: 401, title: says } }), means: 'keyRejected' },
    badPayload: { reply: (says) => failed(400, says), means: 'payloadRefused' },
    inside: { reply: (says) => failed(200, says), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, headers: { 'retry-after': '5' }, text: says }), means: 'throttled' },
  },
}
