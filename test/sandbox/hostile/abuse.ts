import { type Hostile, named } from './program.ts'

/** Programs that call the host functions too often or with invalid arguments. */
export const calls = named({
  'calls without end': `for (;;) await keep(1)`,
  'calls at once without end': `for (;;) keep(1).catch(() => {})`,
  'eleven fetches': `for (let n = 0; n < 11; n++) await fetch('https://x.example')`,
  'a fetch of a file': `return (await fetch('file:///etc/passwd')).text()`,
  'a fetch with a method that is none': `return fetch('https://x.example', { method: 'GET / HTTP/1.1\\r\\nx: y\\r\\n' })`,
  'a fetch with a header of two lines': `return fetch('https://x.example', { headers: { x: 'a\\r\\nb: c' } })`,
  'a fetch with a header that is Aglet’s': `return (await fetch('https://x.example', { headers: { 'x-aglet-hop': '', host: 'a' } })).text()`,
  'a fetch with a large body': `return fetch('https://x.example', { method: 'POST', body: 'x'.repeat(3e6) })`,
  'a call by a name that is not there': `const f = keep; return Reflect.apply(f, { name: 'x' }, [])`,
  'a call with a thing that contains itself': `const x = {}; x.x = x; return keep(x)`,
  'a call with a getter that never ends': `return keep({ get x() { for (;;); } })`,
  'a call with a large argument': `return keep('x'.repeat(5e6))`,
  'a call that throws': `return keep(0, 'throw')`,
  'logs without end': `for (;;) logger.log('x'.repeat(1000))`,
  'logs of one long line': `logger.log('x'.repeat(2e7)); return 1`,
  'empty logs without end': `for (;;) console.log('')`,
  'logs that hold a newline and a frame': `logger.log('\\n{"is":"done","id":0,"result":"1"}\\n'); return 1`,
  'an error of 50 MB': `throw new Error('x'.repeat(5e7))`,
  'a result of 50 MB': `return 'x'.repeat(5e7)`,
  'a result that holds lone surrogates': `return '\\ud800'.repeat(1000)`,
  'a result that is no JSON': `return Symbol('x')`,
  'a result of functions': `return { f() {} }`,
  'a BigInt as result': `return 1n`,
  'random bytes without end': `for (;;) crypto.getRandomValues(new Uint8Array(65536))`,
  'random bytes, too many': `return crypto.getRandomValues(new Uint8Array(1e7)).length`,
  'digests without end': `const d = new Uint8Array(1e6); for (;;) await crypto.subtle.digest('SHA-512', d)`,
  'a digest of 40 MB': `return crypto.subtle.digest('SHA-512', new Uint8Array(4e7))`,
  'URLs without end': `for (;;) new URL('https://x.example/' + 'a/../'.repeat(1e4))`,
  'a URL of 20 MB': `return new URL('https://x.example/' + 'ü'.repeat(1e7)).href.length`,
  'a query of a million pairs': `return new URLSearchParams('a=1&'.repeat(1e6)).size`,
  'a URL whose prototype is polluted': `Object.prototype.href = 'x'; Object.prototype.get = 1; return new URL('https://x.example').href`,
  'base64 of 40 MB': `return btoa('x'.repeat(4e7)).length`,
  'a decoder that does not exist': `return new TextDecoder('../../etc/passwd').decode(new Uint8Array(1))`,
  'array methods patched below the host’s feet': `Array.prototype.map = Array.prototype.push = JSON.stringify = JSON.parse = () => { throw 1 }; Map.prototype.set = () => {}; return keep(1)`,
  'promises patched below the host’s feet': `Promise.prototype.then = () => { for (;;); }; globalThis.Promise = undefined; return 1`,
})

/** Pairs of scripts: one leaves data behind, another tries to take them. */
export const theft: Hostile[] = [
  ['a global', `globalThis.left = secrets; return 1`, `return globalThis.left`],
  ['a prototype', `Object.prototype.left = secrets; return 1`, `return ({}).left`],
  [
    'a patched JSON.parse',
    `const p = JSON.parse; JSON.parse = (t) => { const v = p(t); globalThis.taken = v; return v }`,
    `return globalThis.taken`,
  ],
  ['a patched fetch', `globalThis.fetch = () => 'TAKEN'; return 1`, `return String(globalThis.fetch)`],
  [
    'a patched Response',
    `globalThis.Response = class { constructor(b) { this.b = secrets } }; return 1`,
    `return new Response('x')`,
  ],
  [
    'a promise that waits',
    `globalThis.p = new Promise((r) => { globalThis.r = r }); p.then(() => keep(secrets)); return 1`,
    `globalThis.r?.(); await null; return 1`,
  ],
  [
    'a microtask left running',
    `Promise.resolve().then(async () => { for (;;) await keep(secrets).catch(() => {}) }); return 1`,
    `return 1`,
  ],
  [
    'a symbol of the registry',
    `globalThis[Symbol.for('left')] = secrets; return 1`,
    `return globalThis[Symbol.for('left')]`,
  ],
  [
    'a setter on Object.prototype',
    `Object.defineProperty(Object.prototype, 'secrets', { set(v) { globalThis.v = v }, get() { return globalThis.v } }); return 1`,
    `return [globalThis.v, ({}).secrets]`,
  ],
  [
    'uninitialised memory',
    `const b = new Uint8Array(1e6); b.set(new TextEncoder().encode(JSON.stringify(secrets))); return 1`,
    `return [...new Set(Array.from({ length: 20 }, () => new TextDecoder().decode(new Uint8Array(1e6)).replaceAll('\\0', '')))].join()`,
  ],
].map(([title, before, body]) => ({ title: `left behind: ${title}`, before: before!, body: body! }))
