import type { AdapterHost, PageCall, ReadCall } from './adapter.ts'
import { watchMember } from './watchMember.ts'

/** The globals of the page. */
export type PageGlobals = Record<string, unknown>

type Called = (...call: unknown[]) => unknown
type CallWatchDeps = {
  site: PageGlobals
  safely: AdapterHost['safely']
  /** Whether missing globals are created. */
  hasStubs: boolean
}
type CallWatch = Pick<AdapterHost, 'safely' | 'watch' | 'wrap' | 'readWaiting' | 'watchMethods' | 'watchFunction'>

/** The ways to read the calls of a page. */
export function openCallWatch({ site, safely, hasStubs }: CallWatchDeps): CallWatch {
  const watch: CallWatch['watch'] = (name, replace, { owner = site, absent } = {}) =>
    watchMember({ name, replace, owner, absent, safely })
  const wrap: CallWatch['wrap'] = (called, read) =>
    new Proxy(called as Called, {
      apply: (target, self, call: PageCall) => Reflect.apply(target, self, safely(() => read(call)) ?? call),
      // the pixels of our own channels call the original function, unread
      get: (target, key) => (key === 'aglet' ? target : Reflect.get(target, key)),
    })
  const readWaiting = (list: unknown, read: ReadCall) => {
    if (Array.isArray(list))
      list.forEach((call, at) => {
        safely(() => {
          list[at] = read([...call]) ?? call
        })
      })
  }
  return {
    ...{ safely, watch, wrap, readWaiting },
    watchMethods(api, names, read) {
      for (const name of names)
        watch(name, (method) => wrap(method, (call) => read([name, ...call])?.slice(1)), { owner: api })
    },
    watchFunction(names, queue, read) {
      const waiting: unknown[] = []
      if (hasStubs)
        site[names[0]!] ??= Object.assign((...call: unknown[]) => void waiting.push(call), { [queue]: waiting })
      const wrapped = new Map<object, object>()
      const replace = (called: object) => {
        if (!wrapped.has(called)) {
          readWaiting((called as PageGlobals)[queue], read)
          const wrapper = wrap(called, read)
          wrapped.set(called, wrapper).set(wrapper, wrapper)
        }
        return wrapped.get(called)
      }
      for (const name of names) watch(name, replace)
    },
  }
}
