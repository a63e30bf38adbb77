import {
  amountOf,
  decimalsOf,
  type PluginWorld,
  plugin,
  type Rates,
  RateTable,
  type TagEvent,
  Type,
  withoutDust,
} from '#plugin/plugin.ts'

const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'a currency by its ISO 4217 code' })

/** What one unit of a currency is in the other; undefined where the rates do not say it. */
function rateBetween(from: string, to: string, { base, rates }: Rates): number | undefined {
  const perBase = (currency: string) =>
    currency === base ? 1 : Object.hasOwn(rates, currency) ? rates[currency] : undefined
  const [per, worth] = [perBase(from), perBase(to)]
  return per === undefined || worth === undefined ? undefined : worth / per
}

type Data = NonNullable<TagEvent['data']>
type Convert = (value: unknown) => unknown

/** Rounded to what the currency has: a channel is told of no tenth of a cent. What is no amount stays as it is. */
const converter = (rate: number, to: string): Convert => {
  const digits = decimalsOf(to)
  return (value) => {
    const amount = amountOf(value)
    return amount === undefined ? value : Number(withoutDust(amount * rate).toFixed(digits))
  }
}

const withAmounts = <Row extends object>(row: Row, names: readonly string[], convert: Convert): Row => {
  const amounts = Object.entries(row).filter(([name]) => names.includes(name))
  return { ...row, ...Object.fromEntries(amounts.map(([name, value]) => [name, convert(value)])) }
}

const rowsOf = (rows: unknown, change: (row: object) => object): unknown =>
  Array.isArray(rows) ? rows.map((row) => (typeof row === 'object' && row !== null ? change(row) : row)) : rows

/** A discount in per cent is none of an amount. */
const isPercentage = (row: object) => 'type' in row && row.type === 'PERCENTAGE'

function converted(data: Data, currency: string, convert: Convert): Data {
  const items = rowsOf(data.contents, (item) => withAmounts(item, ['item_price'], convert))
  const discounts = rowsOf(data.discounts, (row) => (isPercentage(row) ? row : withAmounts(row, ['value'], convert)))
  return {
    ...withAmounts(data, ['value', 'tax', 'shipping', 'discount'], convert),
    ...('contents' in data && { contents: items as Data['contents'] }),
    ...('discounts' in data && { discounts: discounts as Data['discounts'] }),
    currency,
  } as Data
}

const usd = { value: 108, currency: 'usd', tax: '10.80' as unknown as number, contents: [{ id: 'a', item_price: 54 }] }
const inEuro = { value: 100, currency: 'EUR', tax: 10, contents: [{ id: 'a', item_price: 50 }] }

export default plugin({
  label: 'Convert currencies',
  does: 'Tells every channel of amounts in one currency, by your own exchange rates or those of the server.',
  stage: 'live',
  settings: Type.Object(
    {
      currency: Currency,
      rates: Type.Optional({ ...RateTable, description: 'how much of each currency one unit of `currency` is worth' }),
    },
    { additionalProperties: false },
  ),
  /** An amount whose rate is not known stays in its own currency, which the event still names. */
  run(event, { currency, rates }, on: PluginWorld) {
    const from = event.data?.currency
    if (!event.data || typeof from !== 'string') return { event }
    const code = from.trim().toUpperCase()
    const table = rates ? { base: currency, rates } : on.rates
    const rate = code === currency || !table ? undefined : rateBetween(code, currency, table)
    if (rate === undefined) return { event }
    return { event: { ...event, data: converted(event.data, currency, converter(rate, currency)) } }
  },
  examples: [
    {
      shows: 'every amount of an event, by the rates of the settings',
      settings: { currency: 'EUR', rates: { USD: 1.08 } },
      event: { eventName: 'Purchase', data: usd },
      gives: { event: { eventName: 'Purchase', data: inEuro } },
    },
    {
      shows: 'the same by the rates of the server, over a third currency',
      settings: { currency: 'EUR' },
      event: { eventName: 'Purchase', data: usd },
      on: { rates: { base: 'GBP', rates: { EUR: 2, USD: 2.16 } } },
      gives: { event: { eventName: 'Purchase', data: inEuro } },
    },
    {
      shows: 'a currency without decimals, and discounts',
      settings: { currency: 'JPY', rates: { EUR: 0.006 } },
      event: {
        eventName: 'Purchase',
        data: {
          value: 10,
          currency: 'EUR',
          discounts: [
            { type: 'FLAT', value: 1 },
            { type: 'PERCENTAGE', value: 15 },
          ],
        },
      },
      gives: {
        event: {
          eventName: 'Purchase',
          data: {
            value: 1667,
            currency: 'JPY',
            discounts: [
              { type: 'FLAT', value: 167 },
              { type: 'PERCENTAGE', value: 15 },
            ],
          },
        },
      },
    },
    {
      shows: 'a currency whose rate is not known stays',
      settings: { currency: 'EUR', rates: { USD: 1.08 } },
      event: { eventName: 'Purchase', data: { value: 5, currency: 'SEK' } },
      gives: { event: { eventName: 'Purchase', data: { value: 5, currency: 'SEK' } } },
    },
    {
      shows: 'so does an amount without a currency',
      settings: { currency: 'EUR', rates: { USD: 1.08 } },
      event: { eventName: 'Purchase', data: { value: 5 } },
      gives: { event: { eventName: 'Purchase', data: { value: 5 } } },
    },
  ],
})
