import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { mostMessage, redactAll, redactMessages, redactor, secretRedactor } from './redaction.ts'

const person = {
  email: 'Jane.Doe@example.com',
  phone: '+49 170 1234567',
  firstName: 'Jane',
  city: 'Köln am Rhein',
  country: 'DE',
}
const secrets = ['hunter2-secret', JSON.stringify({ TOKEN: 'inner-token' }), 'a/b+c==&d']
const redact = redactor({ secrets, persons: [person] })
const hidden = [...secrets, 'inner-token', person.email, person.phone, '491701234567', person.firstName, person.city]
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('of secrets and of what names a person nothing is left', () => {
  test('however it is written', () => {
    const forms = (text: string) => [
      text,
      encodeURIComponent(text),
      JSON.stringify(text).slice(1, -1),
      text.toUpperCase(),
      new URLSearchParams({ text }).toString().slice('text='.length),
    ]
    for (const each of hidden)
      for (const form of forms(each))
        assert.ok(!redact(`<${form}>`).includes(form), `${form} in ${redact(`<${form}>`)}`)
    assert.equal(redact('a b@c.example d'), 'a ••• d')
    assert.equal(redact('unknown user bob%40example.org'), 'unknown user •••')
  })

  test('nor of a text that holds the beginning of a secret of more than 4,096 characters', () => {
    const key = Array.from({ length: 700 }, (_, n) => `line ${n}`).join('\n')
    const withKey = redactor({ secrets: [key, 'hunter2-secret'], persons: [person] })
    for (const form of [key, encodeURIComponent(key), JSON.stringify(key), base64(`x${key}`), key.slice(0, 5_000)])
      assert.equal(withKey(`the key ${form} is not known`), '•••')
    assert.equal(withKey('the key line 0 of hunter2-secret'), 'the key line 0 of •••')
  })

  test('wherever a secret stands in a text', () => {
    const secret = fc
      .string({ minLength: 4, maxLength: 30 })
      .filter((each) => each.trim().length >= 4 && !each.includes('•'))
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (each, before, after) => {
        assert.ok(!redactor({ secrets: [each] })(before + each + after).includes(each))
        assert.ok(!secretRedactor([each])(before + each + after).includes(each))
      }),
    )
  })

  test('whatever stands beside it, of however many people', () => {
    const word = fc.constantFrom(...hidden, 'order', '84.9', '"', '&', 'İstanbul', 'x@y.example', '\n')
    const others = fc.array(fc.record({ email: fc.emailAddress(), firstName: fc.string(), phone: fc.string() }))
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), others, (words, persons) => {
        const left = redactor({ secrets, persons: [...persons, person] })(words.join(' '))
        for (const each of hidden) assert.ok(!left.includes(each), `${each} in ${left}`)
      }),
    )
  })

  test('a phone number in any groups of digits, with or without its country and area code', () => {
    const persons = [{ phone: '+49 151 234567' }, { phone: '+14155550132' }, { phone: '0044 20 7946 0958' }]
    const phones = redactor({ secrets: [], persons })
    for (const written of [
      ...['+49 151 234-567', '+49151234567', '0049 151 234567', '0151 23 45 67', '(0151) 234567', '+49 (0)151 234567'],
      ...[
        '49151234567',
        '0151/234567',
        '+49.151.234.567',
        '+49–151–234–567',
        '+49\u00a0151\u202f234567',
        '%2B49151234567',
      ],
      ...['%2B49%20151%20234-567', '+49+151+234567', '0049%28151%29234567', '151 234 567'],
      ...[
        '(415) 555-0132',
        '+1 (415) 555-0132',
        '1-415-555-0132',
        '4155550132',
        '415.555.0132',
        '%28415%29%20555-0132',
      ],
      ...['+44 20 7946 0958', '020 7946 0958', '+44 (0)20 7946 0958', '2079460958', '7946 0958'],
    ]) {
      assert.equal(phones(`call ${written} now`), 'call ••• now', written)
      assert.equal(phones(`"${written}"`), '"•••"', written)
      assert.equal(phones(`{"phone":"${written}","id":1}`), '{"phone":"•••","id":1}', written)
    }
  })

  test('a short phone number with a zero that is dialled only without the country code', () => {
    const phones = redactor({ secrets: [], persons: [{ phone: '+43 1 23456' }] })
    for (const written of ['+43 (0)1 23456', '+43 (0) 1-234-56', '%2B43%20%280%291%2023456'])
      assert.equal(phones(`call ${written}.`), 'call •••.')
  })

  test('a phone number after any character but a letter or digit of ASCII', () => {
    const phones = redactor({ secrets: [], persons: [{ phone: '+49 151 234567' }] })
    for (const before of ['é', '\u0130', '\u0141', '\u2025', '\u2030', '\ud83d\ude00', '%41', 'x%41'])
      for (const written of ['+49151234567', '49\u2013151\u2003234567', '0151\u2212234567'])
        assert.equal(phones(`${before}${written}.`), `${before}•••.`)
    for (const before of ['a', 'Z', '7']) assert.equal(phones(`${before}49151234567`), `${before}49151234567`)
  })

  test('an e-mail or a phone number inside of base64, in either alphabet, with or without padding, from any place of it', () => {
    const inside = [person.email, person.email.toUpperCase(), 'someone@else.example', person.phone, '491701234567']
    for (const contact of [...inside, '+49 170 123-45-67', '0170/1234567', '(0170) 1234567'])
      for (const lead of ['', ' ', ': ', '{"user":{"contact":"'])
        for (const encoding of ['base64', 'base64url'] as const) {
          const packed = Buffer.from(`${lead}${contact}","more":"of it"}`).toString(encoding)
          for (const text of [packed, packed.replaceAll('=', ''), `/v1/data/${packed}`, `{"Data":"${packed}"}`]) {
            const left = redact(text)
            const seen = Buffer.from(left.slice(left.lastIndexOf('/') + 1).replaceAll('•', ''), encoding).toString()
            assert.match(left, /•••/, `${contact} in ${text}`)
            assert.ok(!seen.includes(contact.slice(2)), `${contact} in ${seen}`)
          }
        }
    assert.match(redact(base64('hunter2-secret')), /•••/)
    // The low byte of this letter is that of an A.
    for (const before of ['\u0141', '\u0141g', '\u0141gB', '\u0141gBc', '\u0141gBcd'])
      assert.match(redact(`${before}${base64(`: ${person.email} and more`)}`), /•••/, before)
    assert.match(redact(base64(`xhunter2-secretyz`)), /•••/)
  })

  test('a secret that holds a text, and one in a JSON object', () => {
    const persons = [{ ...person, lastName: 'lovelace', userId: 'usr_1' }]
    const keys = ['s3cret+key', '1', '{"authorization":"Bearer inner-token"}']
    const message = 'key s3cret+key (s3cret%2Bkey), Bearer inner-token, at 01701234567 named Lovelace 1'
    assert.equal(redactor({ secrets: keys, persons })(message), 'key ••• (•••), •••, at ••• named ••• 1')
  })
})

describe('what names nobody stays', () => {
  for (const text of [
    '{"event":"Purchase","value":84.9,"country":"DE","em":"5d41402abc4b2a76b9719d911017c592"}',
    '{"id":"a491701234567","order":"4917012345678","at":1700000000000,"ip":"203.0.113.7","n":"1,234,567"}',
    '{"id":"0190a5b1-2345-7abc-8def-1234567890ab","fbp":"fb.1.1596403881668.1116446470"}',
    'https://shop.example/products/category/shoes?size=42&utm_source=newsletter_2026',
    'not@all, a@b, @example.com, x@y.z, 100% at 12:30, v1.2.3',
    base64('{"event":"Purchase","value":84.9,"order":"1234567890"}'),
  ])
    test(text.slice(0, 60), () => assert.equal(redact(text), text))

  test('a person without a name, a phone number and an e-mail leaves every text as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/@|%40/.test(text))
        assert.equal(redactor({ secrets: [], persons: [{ country: 'DE', gender: 'f' }] })(text), text)
      }),
    )
  })
})

describe('in time linear in the text', () => {
  const parts = [
    'x',
    'x@',
    '.',
    '%40',
    'b.',
    'a%40b.',
    '@.',
    '1 ',
    '1234567 ',
    '(',
    '0',
    '%20',
    'a1',
    'YWJj',
    'QUJDQ',
    '/',
    'İ',
  ]
  const persons = Array.from({ length: 500 }, (_, n) => ({
    email: `jane${n}@example.com`,
    phone: `+4917012${String(n).padStart(5, '0')}`,
    firstName: `Christian ${n}`,
    city: 'a'.repeat(n),
    ip: `203.0.113.${n % 256}`,
  }))

  // A quadratic search of 128 KiB would take minutes; the test shows that the search ends.
  test('a text that was made to be slow is redacted', () => {
    const slow = redactor({ secrets: ['sekret-123', 'a'.repeat(50_000)], persons })
    for (const part of parts) {
      const text = part.repeat(Math.ceil((128 * 1024) / part.length))
      for (const each of [text, `a@${text}`, `${text}@`, `sekret-123${text}`])
        assert.ok(!slow(each).includes('sekret-123'), part)
    }
  })

  test('of a text that is too much alike to what is looked for nothing is left', () => {
    const alike = redactor({ secrets: Array.from({ length: 300 }, (_, n) => 'a'.repeat(1_000 + n)) })
    assert.equal(alike('a'.repeat(100_000)), '•••')
  })
})

test('many texts are redacted as each by itself', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom(...hidden, '\0', '\n', '\0\n', 'x@y.example'))
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) =>
      assert.deepEqual(redactAll(texts, redact), texts.map(redact)),
    ),
  )
})

test('of a message 300 characters are kept, and nothing in part that stands across the cut', () => {
  const message = (text: string) => redactMessages([text.slice(0, mostMessage)], redact)[0]!
  assert.equal(message(`key hunter2-secret is wrong`), 'key ••• is wrong')
  assert.equal(message('x'.repeat(5_000)).length, 300)
  for (let at = 280; at < 310; at++)
    assert.ok(!/hun/.test(message(`${'x'.repeat(at)}hunter2-secret and more`)), `${at}`)
  const long = 'key-of-many-letters-'.repeat(50)
  const cut = redactMessages([`${long} ${long}`.slice(0, mostMessage)], redactor({ secrets: [long] }))[0]!
  assert.ok(!cut.includes('key-of'), cut)
})

test('a number without country code is struck out as vendors get it, and the country that it is read by stays', () => {
  const german = redactor({ secrets: [], persons: [{ phone: '0171 1234567', phoneCountry: 'DE' }] })
  assert.equal(german('+491711234567 in DE'), '••• in DE')
  assert.equal(german('0171 1234567'), '•••')
})
