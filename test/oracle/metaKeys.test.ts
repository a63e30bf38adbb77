import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { identityOf } from '#provider/engine/identity.ts'
import type { RawPerson } from '#provider/form/person.ts'
import type { UserRules } from '#provider/form/userRule.ts'
import facebook from '#providers/facebook.ts'
import { exportsOf } from './oracle.ts'

const sdk = 'capi-param-builder-nodejs'
type Builder = {
  ParamBuilder: new () => { getNormalizedAndHashedPII(value: string, type: string): string | null }
}

/** The field, the builder's type for it, and typical user input. */
const written = {
  em: [
    'email',
    ['Ada@Example.com', '  ada.lovelace@gmail.com ', 'ADA+shop@GMAIL.COM', "o'neil@example.ie", 'a@b', 'no'],
  ],
  ph: [
    'phone',
    ['+49 (170) 123-4567', '+1 650-555-1234', '0049 170 1234567', '16505551234', '+44 (0)20 7946 0958', 'no'],
  ],
  fn: ['first_name', ['Ada', ' Mary Ann ', "O'Neil", 'José', 'Jean-Luc', '정', 'Dr. Ada', 'Ada3']],
  ln: ['last_name', ['Lovelace', 'van der Berg', "D'Angelo", 'Müller', 'Smith-Jones']],
  ct: ['city', ['London', 'San Francisco', 'St. Louis', "L'Aquila", 'New-York', 'München']],
  st: ['state', ['California', 'CA', ' ny ', 'England']],
  zp: ['zip_code', ['94107', '94107-1234', '10115', ' 10115 ', 'W1A 1AA']],
  country: ['country', ['gb', 'DE', 'United States', 'us']],
  db: [
    'date_of_birth',
    ['1990-12-10', '12/10/1990', '25.12.1990', '1990/12/10', '19901210', '1/2/1990', 'Dec 10 1990', '1890-01-01'],
  ],
  ge: ['gender', ['Female', 'f', 'M', 'male', 'man', 'Woman', 'boy', 'girl', 'other']],
  external_id: ['external_id', ['Customer-1', ' C 1 ', 'ABC', '12345']],
} as const

/** Differences from the builder, and why. */
const explained: Readonly<Record<string, string>> = {
  'ph +44 (0)20 7946 0958': 'The builder keeps the zero, which nobody dials behind a country code.',
  'ct München': 'Meta’s page asks for UTF-8; the builder drops what is not ASCII.',
  'st England': 'Meta’s page asks for the whole name outside of the US; the builder keeps two letters of it.',
  'zp W1A 1AA': 'Meta’s page asks for no spaces; the builder keeps them.',
  'db Dec 10 1990': 'The builder does not read names of months.',
  'db 1890-01-01': 'Nobody was born then.',
}

/** Our event field for each of Meta's keys. */
const keys: Readonly<Record<keyof typeof written, keyof RawPerson>> = {
  em: 'email',
  ph: 'phone',
  fn: 'firstName',
  ln: 'lastName',
  ct: 'city',
  st: 'state',
  zp: 'zip',
  country: 'country',
  db: 'dateOfBirth',
  ge: 'gender',
  external_id: 'customerId',
}
const countryOf = (value: string) => (/^W1A|England/.test(value) ? 'GB' : /^ ?101/.test(value) ? 'DE' : 'US')

test(`facebook: each key of a person is that of ${sdk}, but for the differences that are explained`, (t) => {
  const exports = exportsOf(sdk) as Builder | undefined
  if (!exports && process.env.NEEDS_SDKS) assert.fail(`${sdk} is not installed`)
  if (!exports) return t.skip(`${sdk} is not installed: npm run test:oracle installs it.`)
  const builder = new exports.ParamBuilder()
  const rules: UserRules = facebook.user
  const different = Object.entries(written).flatMap(([field, [type, values]]) =>
    values.flatMap((value) => {
      const person = { country: countryOf(value), [keys[field as keyof typeof written]]: value }
      const ours = identityOf(person).read(rules[field]!)
      // the builder appends its own name after the dot
      const theirs = builder.getNormalizedAndHashedPII(value, type)?.split('.', 1)[0]
      assert.notEqual(ours, hash('sha256', ''), `${field} ${value}`)
      return ours === theirs ? [] : [`${field} ${value}`]
    }),
  )
  assert.deepEqual(different, Object.keys(explained))
})
