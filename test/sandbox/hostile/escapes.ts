import { named } from './program.ts'

/** Searches all reachable objects for a way to the outer realm. */
const probe = `
const seen = new Set(), found = []
const look = (thing, depth) => {
  if (Object(thing) !== thing || seen.has(thing) || depth > 5) return
  seen.add(thing)
  for (const key of Reflect.ownKeys(thing)) {
    let value
    try { value = thing[key] } catch (e) { look(e, depth + 1); continue }
    if (/^(process|require|module|Buffer|global|Deno|Bun)$/.test(String(key)) && value !== process) found.push(String(key))
    look(value, depth + 1)
  }
  look(Object.getPrototypeOf(thing), depth + 1)
}
`
const tryOut = (expression: string) =>
  `let p; try { p = ${expression} } catch (e) { p = undefined }
   if (!p || typeof p !== 'object' || !p.env) return 'nothing'
   return [p.env, p.mainModule && p.mainModule.require('fs').readFileSync('/etc/passwd', 'utf8'), 'ESCAPED']`

export const escapes = named({
  'process by the Function constructor': tryOut(`Function('return process')()`),
  'process by the constructor of a constructor': tryOut(`({}).constructor.constructor('return process')()`),
  'process by this of a sloppy function': tryOut(`(function () { return this.process })()`),
  'process by an async function’s constructor': tryOut(`await (async () => {}).constructor('return process')()`),
  'process by a generator’s constructor': tryOut(`(function* () {}).constructor('yield process')().next().value`),
  'process by indirect eval': tryOut(`(0, eval)('globalThis.process')`),
  'process by the constructor of fetch': tryOut(`fetch.constructor('return process')()`),
  'process by the constructor of what fetch gives': tryOut(
    `fetch('https://x.example').constructor.constructor('return process')()`,
  ),
  'process by the constructor of a call': tryOut(`keep.constructor('return process')()`),
  'process by the prototype of a call’s value': tryOut(`(await keep({})).constructor.constructor('return process')()`),
  'process by an error that the host threw': tryOut(
    `await keep(0, 'throw').catch((e) => e.constructor.constructor('return process')())`,
  ),
  'process by an error of the URL parser': tryOut(
    `(() => { try { new URL('x') } catch (e) { return e.constructor.constructor('return process')() } })()`,
  ),
  'process by the host’s digest': tryOut(`crypto.subtle.digest.constructor('return process')()`),
  'process by the caller': tryOut(`(function f() { return f.caller && f.caller.constructor('return process')() })()`),
  'process by arguments.callee.caller': tryOut(
    `(function () { return arguments.callee.caller.constructor('return process')() })()`,
  ),
  'process by prepareStackTrace and its call sites': tryOut(
    `(() => { Error.prepareStackTrace = (_, sites) => sites; const s = new Error().stack; delete Error.prepareStackTrace;
      return s.map((c) => c.getThis && c.getThis()).concat(s.map((c) => c.getFunction && c.getFunction()))
        .filter(Boolean).map((t) => t.constructor.constructor('return process')())[0] })()`,
  ),
  'process by a stack overflow in a host call': tryOut(
    `(() => { let e; const f = () => { try { f() } catch (x) { try { btoa('x') } catch (y) { e = y } } }; f();
      return e && e.constructor.constructor('return process')() })()`,
  ),
  'process by a Proxy handed to a call': tryOut(
    `(() => { let got; const p = new Proxy({}, { get: (t, k, r) => { got = r; return undefined } }); try { keep(p) } catch {}
      return got && got.constructor && got.constructor('return process')() })()`,
  ),
  'process by toString of a thing handed to a call': tryOut(
    `(() => { let got; try { logger.log({ toJSON() { got = (function () { return this })(); return 1 } }) } catch {}
      return got && got.process })()`,
  ),
  'process by Symbol.species': tryOut(
    `(() => { class A extends Array { static get [Symbol.species]() { return Function } } try { return new A().map(() => 'return process')() } catch {} })()`,
  ),
  'process by Reflect.construct': tryOut(`Reflect.construct(Function, ['return process'], Object)()`),
  'process by an import()': tryOut(`(await import('node:process')).default`),
  'fs by an import()': `try { return (await import('node:fs')).readFileSync('/etc/passwd', 'utf8') } catch (e) { return e.message }`,
  'fs by require': `try { return require('fs').readFileSync('/etc/passwd', 'utf8') } catch (e) { return e.message }`,
  'fs by process.binding': `try { return globalThis.process.binding('fs') } catch (e) { return e.message }`,
  'a file by import() with its path': `try { return await import('/etc/passwd') } catch (e) { return e.message }`,
  'data: by an import()': `try { return (await import('data:text/javascript,export default process.env')).default } catch (e) { return e.message }`,
  'import.meta': `try { return eval('import.meta.url') } catch (e) { return e.message }`,
  'the outer realm from globalThis': `${probe} look(globalThis, 0); return found.filter((each) => each !== 'global')`,
  'the outer realm from what it is given': `${probe} look(arguments[0], 0); return found`,
  'the outer realm from a call’s promise': `${probe} const p = keep(1); look(p, 0); look(await p, 0); return found`,
  'the outer realm from a fetch’s answer': `${probe} look(await fetch('https://x.example'), 0); return found`,
  'the engine’s own objects': `return [typeof ivm, typeof _ivm, typeof Reference, typeof ExternalCopy, typeof $0, typeof $262, typeof d8]`,
  'the guest’s own closure': `return [typeof host, typeof web, typeof ask, typeof callOut, typeof waiting, typeof settle]`,
  'natives by %': `try { return eval('%SystemBreak()') } catch (e) { return e.message }`,
  'gc and other engine extensions': `return [typeof gc, typeof print, typeof readFile, typeof load, typeof quit]`,
  'WebAssembly compiles': `try { return [typeof WebAssembly, new WebAssembly.Memory({ initial: 1000 })] } catch (e) { return e.message }`,
  'a SharedArrayBuffer as a clock': `try { return [typeof SharedArrayBuffer, typeof Atomics, new SharedArrayBuffer(8)] } catch (e) { return e.message }`,
  'a ShadowRealm': `try { return new ShadowRealm().evaluate('process.env') } catch (e) { return e.message }`,
  'a Worker': `try { return new Worker('data:,') } catch (e) { return e.message }`,
  'timers that fire after the run': `try { setTimeout(() => { for (;;); }, 100); setInterval(() => {}, 1) } catch (e) { return e.message }`,
  'a finalizer that calls out later': `new FinalizationRegistry(() => keep('late')).register({}, 1); return 1`,
  'a then-able as the result': `return { then: (resolve) => resolve({ then: (again) => again(globalThis) }) }`,
  'a Response of its own class': `Object.defineProperty(Response, Symbol.hasInstance, { value: () => true }); return { status: {}, headers: [[{}, {}]], body: process }`,
  'with and Symbol.unscopables': `try { return Function('with (globalThis) { return process.env }')() } catch (e) { return e.message }`,
  'a getter on the error': `throw { get message() { return Function('return process.env')() }, get stack() { throw new Error('x') } }`,
  'a thrown Proxy': `throw new Proxy({}, { get: () => { throw new Error('trap') }, getPrototypeOf: () => { throw 1 } })`,
})
