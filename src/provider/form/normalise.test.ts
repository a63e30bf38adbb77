import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../test/fake/anyCodePoint.ts'
import * as rules from './normalise.ts'

const usa = { country: 'US' }
const cases: Record<
  string,
  [rule: rules.Normalise, from: string, to: string | undefined, person?: { country?: string; phoneCountry?: string }][]
> = {
  'an e-mail is trimmed and lower-cased; what is no address is nothing': [
    [rules.emailAddress, ' John_Smith@Gmail.com ', 'john_smith@gmail.com'],
    [rules.emailAddress, 'not an address', undefined],
    [rules.emailAddress, '@example.com', undefined],
    [rules.emailAddress, 'a@b@example.com', undefined],
    [rules.emailAddress, 'ada@shop', undefined],
    [rules.emailAddress, 'ada@.com', undefined],
    [rules.emailAddress, 'ada@example.', undefined],
    [rules.emailAddress, 'Ada <ada@example.com>', undefined],
  ],
  'an address that stands for a missing one is none, nor is one of a test domain': [
    [rules.emailAddress, 'unknown@shop.com', undefined],
    [rules.emailAddress, 'NULL@shop.com', undefined],
    [rules.emailAddress, 'ada@localhost', undefined],
    [rules.emailAddress, 'ada@shop.test', undefined],
    [rules.emailAddress, 'ada@mail.invalid', undefined],
    [rules.emailAddress, 'test@test.com', undefined],
    [rules.emailAddress, 'unknown.soldier@contest.com', 'unknown.soldier@contest.com'],
  ],
  'an id that is an e-mail address is none': [
    [rules.nonEmailId, ' usr_1 ', 'usr_1'],
    [rules.nonEmailId, 'a@b.example', undefined],
    [rules.nonEmailId, '  ', undefined],
  ],
  'an IPv4 address may be written as IPv6; other addresses are none': [
    [rules.ipv4Address, ' 81.2.69.142 ', '81.2.69.142'],
    [rules.ipv4Address, '::FFFF:81.2.69.142', '81.2.69.142'],
    [rules.ipv4Address, '2001:db8::1', undefined],
    [rules.ipv4Address, '300.1.1.1', undefined],
  ],
  'an IP address is one, in whichever version; any other text is none': [
    [rules.ipAddress, ' 2001:db8::1 ', '2001:db8::1'],
    [rules.ipAddress, 'unknown', undefined],
    [rules.ipAddress, '81.2.69.142, 10.0.0.1', undefined],
  ],
  'for Google the dots before gmail.com and googlemail.com are dropped, other dots and tags stay': [
    [rules.googleEmail, 'Jane.A.Doe+x@GoogleMail.com', 'janeadoe+x@googlemail.com'],
    [rules.googleEmail, 'jane.doe@example.com', 'jane.doe@example.com'],
    [rules.googleEmail, 'jane.doe@notgmail.com', 'jane.doe@notgmail.com'],
    [rules.googleEmail, 'jane', undefined],
  ],
  'and where Google asks for the mailbox itself, what follows a plus': [
    [rules.googleMailbox, 'Jane.A.Doe+x@GoogleMail.com', 'janeadoe@googlemail.com'],
    [rules.googleMailbox, 'jane.doe+x@example.com', 'jane.doe+x@example.com'],
    [rules.googleMailbox, '+x@gmail.com', undefined],
  ],
  'a canonical mailbox has neither dots nor a plus suffix, at every domain': [
    [rules.canonicalMailbox, ' Jane.A.Doe+x@Example.co.uk ', 'janeadoe@example.co.uk'],
    [rules.canonicalMailbox, '+x@example.com', undefined],
    [rules.canonicalMailbox, 'jane', undefined],
  ],
  'a birth date with dashes is in the order year, month, day': [
    [rules.isoBirthDate, '1990/1/2', '1990-01-02'],
    [rules.isoBirthDate, '02.01.1990', undefined],
    [rules.isoBirthDate, '31.01.1990', '1990-01-31'],
  ],
  'a phone number with its country code is read in any notation': [
    [rules.phoneE164, '+49 170 1234567', '+491701234567'],
    [rules.phoneE164, '0049-170-1234567', '+491701234567'],
    [rules.phoneE164, '+1 (650) 555-1212', '+16505551212'],
    [rules.phoneE164, 'tel:+49-170-1234567', '+491701234567'],
    [rules.phoneE164, '16505551212', '+16505551212'],
    [rules.phoneE164, '+1 650 555 1212 ext. 7', '+16505551212'],
    [rules.phoneDigits, '+1 (650) 555-1212', '16505551212'],
    [rules.phoneDigits, '0049 170 1234567', '491701234567'],
  ],
  'the zero that is dialled only within a country is left out, and the zero of an Italian number stays': [
    [rules.phoneE164, '+44 (0)844 123 4567', '+448441234567'],
    [rules.phoneE164, '+49 (0)170 1234567', '+491701234567'],
    [rules.phoneE164, '+4901701234567', '+491701234567'],
    [rules.phoneE164, '+39 06 1234 5678', '+390612345678'],
  ],
  'a number without its country code is one of the country of the person': [
    [rules.phoneE164, '0171 1234567', '+491711234567', { country: 'DE' }],
    [rules.phoneE164, '0171 1234567', '+491711234567', { country: 'Germany' }],
    [rules.phoneE164, '(650) 555-1212', '+16505551212', { country: 'usa' }],
    [rules.phoneE164, '131 2345 6789', '+8613123456789', { country: 'CN' }],
    [rules.phoneE164, '0171 1234567', '+491711234567', { phoneCountry: 'DE' }],
    [rules.phoneE164, '0171 1234567', '+491711234567', { country: 'Atlantis', phoneCountry: 'DE' }],
    [rules.phoneE164, '0664 1234567', '+436641234567', { country: 'AT', phoneCountry: 'DE' }],
    [rules.phoneE164, '491701234567', '+491701234567', { country: 'DE' }],
    [rules.phoneE164, '1 (650) 555-1212', '+16505551212', { country: 'US' }],
  ],
  'what is no valid number in that country is left out and never guessed': [
    [rules.phoneE164, '0171 1234567', undefined],
    [rules.phoneE164, '0171 1234567', undefined, { country: 'US' }],
    [rules.phoneE164, '(650) 555-1212', undefined],
    [rules.phoneE164, '131 2345 6789', undefined, { country: 'DE' }],
    [rules.phoneE164, '+1711234567', undefined],
    [rules.phoneE164, '+15555555555', undefined],
    [rules.phoneE164, '123456', undefined, { country: 'DE' }],
    [rules.phoneE164, '1234567890123456', undefined],
    [rules.phoneE164, '+49 170 1234567 / +49 171 7654321', undefined],
    [rules.phoneE164, '', undefined],
    [rules.phoneDigits, 'none', undefined],
  ],
  'a gender is f or m': [
    [rules.genderLetter, ' Female', 'f'],
    [rules.genderLetter, 'M', 'm'],
    [rules.genderLetter, 'maleficent', undefined],
  ],
  'a date of birth is YYYYMMDD, from any order that is unambiguous': [
    [rules.birthDate, '1990-12-10', '19901210'],
    [rules.birthDate, '1990/1/5', '19900105'],
    [rules.birthDate, '19901210', '19901210'],
    [rules.birthDate, '1990-12-10T00:00:00Z', '19901210'],
    [rules.birthDate, '31.12.1990', '19901231'],
    [rules.birthDate, '12/31/1990', '19901231'],
    [rules.birthDate, '5.5.1990', '19900505'],
    [rules.birthDate, '10 Dec 1990', '19901210'],
    [rules.birthDate, 'December 10, 1990', '19901210'],
    [rules.birthDate, '10.12.1990', undefined],
    [rules.birthDate, '1990-13-10', undefined],
    [rules.birthDate, '1990-12-32', undefined],
    [rules.birthDate, '1990-02-30', undefined],
    [rules.birthDate, '0000-01-01', undefined],
    [rules.birthDate, '31/13/1990', undefined],
    [rules.birthDate, '10 Foo 1990', undefined],
  ],
  'a city is lower case without spaces and punctuation, in any script': [
    [rules.lettersAndDigits, ' St. John’s ', 'stjohns'],
    [rules.lettersAndDigits, 'São Paulo', 'sãopaulo'],
    [rules.lettersAndDigits, '東京', '東京'],
    [rules.lettersAndDigits, '--', undefined],
  ],
  'letters only keeps the spaces within': [
    [rules.lettersOnly, ' Bad Homburg v.d.H. 2 ', 'bad homburg vdh'],
    [rules.lettersOnly, '12', undefined],
  ],
  'a state is two letters in the US, by name or by code, and where the country is not known': [
    [rules.stateCode, 'California', 'ca', usa],
    [rules.stateCode, 'US-CA', 'ca', { country: 'USA' }],
    [rules.stateCode, 'New York', 'ny'],
    [rules.stateCode, 'NY', 'ny', usa],
    [rules.stateCode, 'Nordrhein-Westfalen', 'nordrheinwestfalen', { country: 'DE' }],
    [rules.stateCode, 'Georgia', 'georgia', { country: 'Germany' }],
    [rules.stateCode, 'DE-NW', 'nw', { country: 'DE' }],
  ],
  'a postcode that its country does not have is none': [
    [rules.zipCode, '2139', undefined, usa],
    [rules.zipCode, '50667', undefined, { country: 'GB' }],
    [rules.zipCode, '1010', undefined, { country: 'DE' }],
    [rules.zipCode, '1010', '1010', { country: 'AT' }],
    [rules.zipCode, '1010', '1010', { country: 'Atlantis' }],
    [rules.postcode, ' 50667 ', '50667', { country: 'DE' }],
    [rules.postcode, 'W1A 1AA', 'W1A 1AA', { country: 'United Kingdom' }],
    [rules.postcode, 'W1A 1AA', undefined, { country: 'DE' }],
  ],
  'a zip is lower case without spaces and dashes, in the US its first five digits': [
    [rules.zipCode, '94107-1234', '94107', usa],
    [rules.zipCode, '94107-1234', '94107'],
    [rules.zipCode, 'W1A 1AA', 'w1a1aa', { country: 'GB' }],
    [rules.zipCode, '1234-567', '1234567', { country: 'PT' }],
    [rules.zipCode, ' ', undefined],
  ],
  'a country is ISO 3166-1 alpha-2, from itself, alpha-3 or its English name': [
    [rules.countryCodeLower, 'DE', 'de'],
    [rules.countryCodeLower, 'usa', 'us'],
    [rules.countryCodeLower, 'United Kingdom', 'gb'],
    [rules.countryCodeLower, 'UK', 'gb'],
    [rules.countryCode, 'Germany', 'DE'],
    [rules.countryCode, 'Côte d’Ivoire', 'CI'],
    [rules.countryCode, 'Atlantis', undefined],
  ],
}

for (const [name, rows] of Object.entries(cases))
  test(name, () => {
    for (const [rule, from, to, person = {}] of rows) assert.equal(rule(from, person), to, from)
  })

test('no rule throws or leaves an empty text, whatever is written', () => {
  const anyText = fc.string({ unit: anyCodePoint })
  fc.assert(
    fc.property(anyText, anyText, (text, country) => {
      for (const rule of Object.values(rules)) assert.notEqual(rule(text, { country }), '')
    }),
  )
})

test('what a rule made, it leaves as it is', () => {
  const again = [
    rules.emailAddress,
    rules.googleEmail,
    rules.phoneDigits,
    rules.phoneE164,
    rules.countryCode,
    rules.birthDate,
  ]
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string(), fc.stringMatching(/^\+?[\d ()-]{4,16}$/)), (text) => {
      for (const rule of again) {
        const once = rule(text, {})
        if (once !== undefined) assert.equal(rule(once, {}), once)
      }
    }),
  )
})
