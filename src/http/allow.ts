import type { FastifyInstance } from 'fastify'

/** The methods that the routes at this address take; none where there is no route. */
export type Allowed = (url: string) => string[]

/** `/v1/script/:scriptId` as a pattern of the addresses it stands for. */
function patternOf(route: string): RegExp {
  const literal = route.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replace(/:\w+|\*/g, (part) => (part === '*' ? '.*' : '[^/]*'))}$`)
}

/** Remembers every route from here on, for the answers 405 and OPTIONS, which the router does not know of. */
export function allowedMethods(app: FastifyInstance): Allowed {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const each of [method].flat()) route.methods.add(each)
    routes.set(url, route)
  })
  return (url) => {
    const [path = ''] = url.split('?')
    const at = [...routes.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(at.flatMap(({ methods }) => [...methods]))].sort()
  }
}
