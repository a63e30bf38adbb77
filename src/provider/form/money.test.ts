import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EventData } from '#contract/event.ts'
import {
  amountOf,
  amountText,
  currencyAmountText,
  eventValue,
  minorUnits,
  roundedToHundredths,
  unlessNegative,
} from './money.ts'

const bought = (data: object, eventName = 'Purchase') => ({ eventName, data: data as EventData })

test('gross is data.value as it came', () => {
  assert.equal(eventValue(bought({ value: 119, tax: 19 }), 'gross'), 119)
  assert.equal(eventValue(bought({ value: 0 }), 'gross'), 0)
  assert.equal(eventValue(bought({}), 'gross'), undefined)
  assert.equal(eventValue({ eventName: 'Purchase' }, 'net'), undefined)
})

test('net is less tax and shipping, absent ones 0', () => {
  assert.equal(eventValue(bought({ value: 119, tax: 19 }), 'net'), 100)
  assert.equal(eventValue(bought({ value: 100, tax: 19.99, shipping: 4.95 }), 'net'), 75.06)
  assert.equal(eventValue(bought({ value: 100 }), 'net'), 100)
})

test('net takes the discount off only where the value was given before it', () => {
  assert.equal(eventValue(bought({ value: 100, discount: 10 }), 'net'), 100)
  assert.equal(eventValue(bought({ value: 100, discount: 10, valueBeforeDiscount: true }), 'net'), 90)
  assert.equal(eventValue(bought({ value: 100, discount: 10, valueBeforeDiscount: 'true' }), 'net'), 100)
})

test('net is the same for a purchase and for what the plugin of new and returning customers adds to it', () => {
  for (const eventName of ['Purchase', 'Purchase_NC', 'Purchase_RC'])
    assert.equal(eventValue(bought({ value: 119, tax: 19 }, eventName), 'net'), 100, eventName)
})

test('net is for purchases only, and never below 0', () => {
  assert.equal(eventValue(bought({ value: 119, tax: 19 }, 'AddToCart'), 'net'), 119)
  assert.equal(eventValue(bought({ value: 5, tax: 19 }), 'net'), 0)
})

test('an amount is a finite number, or text that is nothing but one', () => {
  for (const [value, amount] of [
    ['12.50', 12.5],
    [' -3 ', -3],
    [7, 7],
  ] as const)
    assert.equal(amountOf(value), amount)
  for (const value of ['', '12,50', '1e3', '0x10', 'EUR 5', '.5', Number.NaN, Infinity, true, null, [1], {}])
    assert.equal(amountOf(value), undefined)
})

test('net is never above gross, and no float dust', () => {
  const cents = fc.integer({ min: 0, max: 1e9 }).map((each) => each / 100)
  fc.assert(
    fc.property(cents, cents, cents, (value, tax, shipping) => {
      const net = eventValue(bought({ value, tax, shipping }), 'net')!
      assert.ok(net <= value && net >= 0)
      assert.equal(net, Math.max(0, Math.round((value - tax - shipping) * 100) / 100))
    }),
  )
})

test('the smallest unit is that of the currency, hundredths where none is known', () => {
  for (const [amount, currency, units] of [
    [12.5, 'EUR', 1250],
    [1250, 'JPY', 1250],
    [1.234, 'kwd', 1234],
    [19.99, undefined, 1999],
    [1.005, undefined, 101],
    [9.99, 'no currency', 999],
    [-10, 'EUR', -1000],
  ] as const)
    assert.equal(minorUnits(amount, currency), units)
})

test('hundredths and texts of amounts show no float dust', () => {
  assert.equal(roundedToHundredths(0.1 + 0.2), 0.3)
  assert.deepEqual([12.5, 0, -1, undefined].map(unlessNegative), [12.5, 0, undefined, undefined])
  assert.deepEqual([amountText(12.5), amountText(3, 0), amountText(0.1 + 0.2)], ['12.50', '3', '0.30'])
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e10 }),
      (cents) => minorUnits(cents / 100) === cents && roundedToHundredths(cents / 100) === cents / 100,
    ),
  )
})

test('an amount as text has the decimals of its currency, and two where the currency is unknown', () => {
  const texts = [
    ['EUR', 12.5],
    ['JPY', 1250],
    ['KWD', 1.5],
    [undefined, 3],
  ] as const
  assert.deepEqual(
    texts.map(([currency, amount]) => currencyAmountText(amount, currency)),
    ['12.50', '1250', '1.500', '3.00'],
  )
  assert.equal(currencyAmountText(undefined, 'EUR'), undefined)
})
