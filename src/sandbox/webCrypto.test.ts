import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runInThisContext } from 'node:vm'
import { openSandbox, type Sandbox } from './sandbox.ts'

/** Programs for the guest's WebCrypto and for Node's. Each returns bytes, a boolean or names of a key, or throws. */
const values = {
  keys: ['new Uint8Array()', 'new Uint8Array([1])', 'new Uint8Array(64).fill(7)', 'new Uint8Array(200).fill(9).buffer'],
  hashes: ['"SHA-1"', '"sha-256"', '{ name: "SHA-384" }', '"SHA-512"', '"SHA-224"', '"MD5"', '{}', 'undefined', 'null'],
  data: [
    'new Uint8Array()',
    'new Uint8Array([1, 2]).buffer',
    'new DataView(new ArrayBuffer(9), 2)',
    '"text"',
    'undefined',
  ],
  usages: [
    '["sign"]',
    '["verify", "sign", "verify"]',
    '[]',
    '["encrypt"]',
    '["other"]',
    '"sign"',
    'undefined',
    'new Set(["verify"])',
  ],
  algorithms: ['"HMAC"', '"hmac"', '{ name: "Hmac" }', '{}', '"none"', 'undefined', 'null'],
  lengths: ['undefined', '8', '"8"', '16', '0', '512'],
}
/** Node treats a hash without a name as an unknown hash; the standard rejects its type. */
const hmacHashes = values.hashes.filter((hash) => hash !== '{}')
const hmac = (hash: string, length = 'undefined') =>
  `{ name: "HMAC", hash: ${hash}, ${length === 'undefined' ? '' : `length: ${length}`} }`
const imported = (key: string, algorithm: string, usages = '["sign", "verify"]') =>
  `crypto.subtle.importKey("raw", ${key}, ${algorithm}, false, ${usages})`
const madeKey = imported(values.keys[1]!, hmac('"SHA-256"'))

const programs = [
  ...values.hashes.flatMap((hash) => values.data.map((data) => `crypto.subtle.digest(${hash}, ${data})`)),
  ...values.keys.flatMap((key) => hmacHashes.map((hash) => imported(key, hmac(hash)))),
  ...values.keys.flatMap((key) => values.usages.map((usages) => imported(key, hmac('"SHA-1"'), usages))),
  ...values.keys.flatMap((key) => values.lengths.map((length) => imported(key, hmac('"SHA-1"', length)))),
  ...values.data.map((key) => imported(key, hmac('"SHA-256"'))),
  ...['"HMAC"', '{ name: "HMAC" }', '"none"', '{}', 'undefined'].map((algorithm) =>
    imported('new Uint8Array(2)', algorithm),
  ),
  ...['"pkcs8"', '"spki"', '"other"', 'undefined'].map(
    (format) => `crypto.subtle.importKey(${format}, new Uint8Array(2), ${hmac('"SHA-1"')}, false, ["sign"])`,
  ),
  ...[
    '',
    '"raw"',
    `"raw", new Uint8Array(2), ${hmac('"SHA-1"')}`,
    `"raw", new Uint8Array(2), ${hmac('"SHA-1"')}, false`,
  ].map((args) => `crypto.subtle.importKey(${args})`),
  ...values.algorithms.flatMap((algorithm) =>
    values.data.map((data) => `crypto.subtle.sign(${algorithm}, await ${madeKey}, ${data})`),
  ),
  ...values.keys
    .slice(1)
    .flatMap((key) =>
      values.hashes
        .slice(0, 4)
        .map((hash) => `crypto.subtle.sign("HMAC", await ${imported(key, hmac(hash))}, new Uint8Array([1, 2, 3]))`),
    ),
  `crypto.subtle.sign("HMAC", await ${imported('new Uint8Array(2)', hmac('"SHA-1"'), '["verify"]')}, new Uint8Array())`,
  `crypto.subtle.verify("HMAC", await ${imported('new Uint8Array(2)', hmac('"SHA-1"'), '["sign"]')}, new Uint8Array(), new Uint8Array())`,
  ...['{}', 'undefined', 'null', '"key"'].map((key) => `crypto.subtle.sign("HMAC", ${key}, new Uint8Array())`),
  ...['new Uint8Array()', 'new Uint8Array(31)', 'new Uint8Array(32)', '"signature"', 'undefined'].map(
    (signature) => `crypto.subtle.verify("HMAC", await ${madeKey}, ${signature}, new Uint8Array([1]))`,
  ),
  `crypto.subtle.verify("HMAC", await ${madeKey}, await crypto.subtle.sign("HMAC", await ${madeKey}, new Uint8Array(3)), new Uint8Array(3))`,
  ...['', '"HMAC"', `"HMAC", await ${madeKey}`].flatMap((args) => [
    `crypto.subtle.sign(${args})`,
    `crypto.subtle.verify(${args})`,
  ]),
  ...['', '"SHA-1"'].map((args) => `crypto.subtle.digest(${args})`),
  ...[
    'new Float32Array(2)',
    'new Uint8Array(65_537)',
    '"text"',
    'new DataView(new ArrayBuffer(3))',
    'undefined',
    '[]',
  ].map((array) => `crypto.getRandomValues(${array}).length`),
  'new CryptoKey()',
  `(async () => { const key = await ${imported('new Uint8Array(2)', hmac('"SHA-1"'), '["sign"]')}
     key.usages.push("verify")
     return crypto.subtle.verify("HMAC", key, new Uint8Array(), new Uint8Array()) })()`,
]

const shown = (program: string) => `(async () => {
  try {
    const value = await (${program})
    if (value instanceof ArrayBuffer) return [...new Uint8Array(value)].join()
    if (value instanceof CryptoKey)
      return [value.type, value.extractable, value.algorithm.name, value.algorithm.hash.name, value.algorithm.length, ...value.usages].join()
    return String(value)
  } catch (error) {
    return (error instanceof DOMException ? 'DOMException ' : '') + error.name
  }
})()`

let sandbox: Sandbox
before(async () => {
  sandbox = await openSandbox({ fetch: async () => assert.fail('nothing may be fetched'), acceptWeak: true })
})
after(() => sandbox.close())

async function inSandbox(expression: string, params: Record<string, unknown> = {}): Promise<unknown> {
  const code = `async function process({ requireSecret }) { return ${expression} }`
  const job = { teamId: 'team', key: code, code, name: 'process', resultKind: 'value' as const, params, secrets: [] }
  const result = await sandbox.run(job)
  return 'value' in result ? result.value : result
}

test('digests and HMAC take, return and refuse what those of Node do', async () => {
  const list = `Promise.all([${programs.map(shown).join(',\n')}])`
  const expected = (await runInThisContext(list)) as string[]
  const given = (await inSandbox(list)) as string[]
  const differing = programs.flatMap((program, n) =>
    given[n] === expected[n] ? [] : [{ program, given: given[n], expected: expected[n] }],
  )
  assert.deepEqual(differing, [])
  assert.ok(programs.length > 200 && expected.filter((each) => each === 'DOMException DataError').length > 4)
})

test('requireSecret returns a text that is set, and throws the name of one that is absent, empty or no text', async () => {
  const secrets = { KEY: 'key-1', EMPTY: '', NUMBER: 7 }
  const asked = (name: string) =>
    inSandbox(
      `(() => { try { return requireSecret(${JSON.stringify(name)}) } catch ({ message }) { return message } })()`,
      {
        secrets,
        required: { WEBHOOK_TOKEN: 'token-1' },
      },
    )
  assert.equal(await asked('KEY'), 'key-1')
  assert.equal(await asked('WEBHOOK_TOKEN'), 'token-1')
  for (const name of ['EMPTY', 'NUMBER', 'ABSENT', 'constructor', '__proto__', 'undefined'])
    assert.equal(await asked(name), `The secret ${name} is not set`)
})
