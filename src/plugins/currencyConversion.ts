import {
  amountOf,
  decimalsOf,
  type PluginContext,
  plugin,
  type Rates,
  RateTable,
  type TagEvent,
  Type,
  withoutFloatError,
} from '#plugin/plugin.ts'

const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  title: 'Currency',
  description: 'the ISO 4217 code of the currency, such as EUR',
})

/** The value of one unit of `from` in `to`; undefined if the rates lack one of them. */
function rateBetween(from: string, to: string, { base, rates }: Rates): number | undefined {
  const perBase = (currency: string) =>
    currency === base ? 1 : Object.hasOwn(rates, currency) ? rates[currency] : undefined
  const [fromPerBase, toPerBase] = [perBase(from), perBase(to)]
  return fromPerBase === undefined || toPerBase === undefined ? undefined : toPerBase / fromPerBase
}

type EventAmounts = NonNullable<TagEvent['data']>
type Convert = (value: unknown) => unknown

/** Rounds to the decimals of the currency. A value that is not an amount is unchanged. */
const createConverter = (rate: number, to: string): Convert => {
  const digits = decimalsOf(to)
  return (value) => {
    const amount = amountOf(value)
    return amount === undefined ? value : Number(withoutFloatError(amount * rate).toFixed(digits))
  }
}

const convertAmounts = <Row extends object>(row: Row, names: readonly string[], convert: Convert): Row => {
  const amounts = Object.entries(row).filter(([name]) => names.includes(name))
  return { ...row, ...Object.fromEntries(amounts.map(([name, value]) => [name, convert(value)])) }
}

const changeRows = (rows: unknown, change: (row: object) => object): unknown =>
  Array.isArray(rows) ? rows.map((row) => (typeof row === 'object' && row !== null ? change(row) : row)) : rows

/** A discount in per cent is not an amount. */
const isPercentage = (row: object) => 'type' in row && row.type === 'PERCENTAGE'

function convertData(data: EventAmounts, currency: string, convert: Convert): EventAmounts {
  const items = changeRows(data.contents, (item) => convertAmounts(item, ['item_price'], convert))
  const discounts = changeRows(data.discounts, (row) =>
    isPercentage(row) ? row : convertAmounts(row, ['value'], convert),
  )
  return {
    ...convertAmounts(data, ['value', 'tax', 'shipping', 'discount'], convert),
    ...('contents' in data && { contents: items as EventAmounts['contents'] }),
    ...('discounts' in data && { discounts: discounts as EventAmounts['discounts'] }),
    currency,
  } as EventAmounts
}

const usd = { value: 108, currency: 'usd', tax: '10.80' as unknown as number, contents: [{ id: 'a', item_price: 54 }] }
const inEuro = { value: 100, currency: 'EUR', tax: 10, contents: [{ id: 'a', item_price: 50 }] }

export default plugin({
  label: 'Convert currencies',
  description: 'Converts all amounts to one currency, with your exchange rates or those of the server.',
  stage: 'live',
  settings: Type.Object(
    {
      currency: Currency,
      rates: Type.Optional({
        ...RateTable,
        title: 'Exchange rates',
        description: 'the value of one unit of `currency` in each currency',
      }),
    },
    { additionalProperties: false },
  ),
  /** An event whose currency has no rate is unchanged. */
  run(event, { currency, rates }, deps: PluginContext) {
    const from = event.data?.currency
    if (!event.data || typeof from !== 'string') return { event }
    const code = from.trim().toUpperCase()
    const table = rates ? { base: currency, rates } : deps.rates
    const rate = code === currency || !table ? undefined : rateBetween(code, currency, table)
    if (rate === undefined) return { event }
    return { event: { ...event, data: convertData(event.data, currency, createConverter(rate, currency)) } }
  },
  examples: [
    {
      title: 'every amount of an event, by the rates of the settings',
      settings: { currency: 'EUR', rates: { USD: 1.08 } },
      event: { eventName: 'Purchase', data: usd },
      result: { event: { eventName: 'Purchase', data: inEuro } },
    },
    {
      title: 'the same by the rates of the server, over a third currency',
      settings: { currency: 'EUR' },
      event: { eventName: 'Purchase', data: usd },
      context: { rates: { base: 'GBP', rates: { EUR: 2, USD: 2.16 } } },
      result: { event: { eventName: 'Purchase', data: inEuro } },
    },
    {
      title: 'a currency without decimals, and discounts',
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
      result: {
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
      title: 'a currency whose rate is not known stays',
      settings: { currency: 'EUR', rates: { USD: 1.08 } },
      event: { eventName: 'Purchase', data: { value: 5, currency: 'SEK' } },
      result: { event: { eventName: 'Purchase', data: { value: 5, currency: 'SEK' } } },
    },
    {
      title: 'so does an amount without a currency',
      settings: { currency: 'EUR', rates: { USD: 1.08 } },
      event: { eventName: 'Purchase', data: { value: 5 } },
      result: { event: { eventName: 'Purchase', data: { value: 5 } } },
    },
  ],
})
