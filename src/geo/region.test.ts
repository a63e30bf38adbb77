import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { iso31661, iso31662 } from 'iso-3166'
import type { Location } from './locate.ts'
import { isInside, parseRegions, type RegionRule } from './region.ts'

function regions(text: string | null | undefined): RegionRule {
  const read = parseRegions(text)
  return 'regions' in read ? read.regions : assert.fail(JSON.stringify(read.issues))
}
const isIn = (text: string | null | undefined, located: Location) => isInside(regions(text), located)
const germany = { country: 'DE' }
const california = { country: 'US', region: 'US-CA' }

test('a rule without a list includes every location, also an unknown one', () => {
  for (const text of [undefined, null, '', '  '])
    for (const place of [germany, california, {}]) assert.equal(isIn(text, place), true)
})

test('a list of countries and subdivisions includes only these', () => {
  assert.equal(isIn('DE,US-CA', germany), true)
  assert.equal(isIn('DE,US-CA', california), true)
  assert.equal(isIn('DE,US-CA', { country: 'US', region: 'US-NY' }), false)
  assert.equal(isIn('DE,US-CA', { country: 'US' }), false)
})

test('a leading minus excludes, also a part of an included country', () => {
  assert.equal(isIn('EU,US,-US-CA', california), false)
  assert.equal(isIn('EU,US,-US-CA', { country: 'US', region: 'US-NY' }), true)
  assert.equal(isIn('EU,US,-US-CA', germany), true)
  assert.equal(isIn('EU,-DE', germany), false)
  assert.equal(isIn('-EU,DE', germany), false)
})

test('a location with only a country is excluded by an excluded subdivision of that country', () => {
  assert.equal(isIn('EU,US,-US-CA', { country: 'US' }), false)
  assert.equal(isIn('-US-CA', { country: 'US' }), false)
  assert.equal(isIn('EU,US,-US-CA', germany), true)
  assert.equal(isIn('-US-CA', {}), true)
})

test('a rule of exclusions alone includes every other location', () => {
  assert.equal(isIn('-US-CA', california), false)
  assert.equal(isIn('-US-CA', germany), true)
  assert.equal(isIn('-EU', germany), false)
})

test('an unknown location is included only by a rule without inclusions', () => {
  assert.equal(isIn('-US,-EU', {}), true)
  assert.equal(isIn('EU', {}), false)
  assert.equal(isIn('EU,-US', {}), false)
})

test('EU has 27 countries, and EEA has three more', () => {
  assert.equal(regions('EU').include.size, 27)
  const more = [...regions('EEA').include].filter((country) => !regions('EU').include.has(country))
  assert.deepEqual(more.sort(), ['IS', 'LI', 'NO'])
  assert.equal(isIn('EU', { country: 'GB' }), false)
})

test('case and spaces are ignored', () => {
  assert.deepEqual(regions(' eu , us , - us-ca '), regions('EU,US,-US-CA'))
})

test('an entry that is no country, subdivision or group is an issue that quotes it', () => {
  const issues = (text: string) => {
    const read = parseRegions(text)
    return 'issues' in read ? read.issues.map(({ message }) => message.split(' is ')[0]) : []
  }
  assert.deepEqual(issues('UK,DE,XX,US-XX,--US'), ['"UK"', '"XX"', '"US-XX"', '"--US"'])
  assert.deepEqual(issues('DE,'), ['""'])
  assert.deepEqual(issues(','), ['""', '""'])
  assert.deepEqual(issues('-'), ['"-"'])
  assert.deepEqual(issues('Germany;France'), ['"Germany;France"'])
  assert.ok(parseRegions('x'.repeat(10_000)))
})

test('any list of known codes is parsed, and an excluded location is outside', () => {
  const codes = [...iso31661.map(({ alpha2 }) => alpha2), ...iso31662.map(({ code }) => code)]
  const code = fc.constantFrom(...codes)
  fc.assert(
    fc.property(fc.uniqueArray(code, { minLength: 1 }), fc.uniqueArray(code), code, (inside, outside, at) => {
      const text = [...inside, ...outside.map((each) => `-${each}`)].join(',')
      const country = at.slice(0, 2)
      const place = at === country ? { country } : { country, region: at }
      const names = [country, at]
      const mayBeOut = at === country && outside.some((each) => each.startsWith(`${country}-`))
      const isOut = mayBeOut || names.some((each) => outside.includes(each))
      const expected = !isOut && names.some((each) => inside.includes(each))
      assert.equal(isIn(text, place), expected)
    }),
  )
})
