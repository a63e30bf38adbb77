import type { FastifyInstance } from 'fastify'

/** The methods that the routes at this address take; none where there is no route. */
export type Allowed = (url: string) => string[]

/** Whether a path, in parts, is one of those that a route stands for: `/v1/script/:scriptId`, or all below `/oauth/*`. */
function fits(route: readonly string[], path: readonly string[]): boolean {
  const rest = route.indexOf('*')
  if (rest < 0 ? path.length !== route.length : path.length <= rest) return false
  return route.every((part, at) => part === '*' || part.startsWith(':') || part === path[at])
}

/** Remembers every route from here on, for the answers 405 and OPTIONS, which the router does not know of. */
export function allowedMethods(app: FastifyInstance): Allowed {
  const routes = new Map<string, { parts: string[]; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { parts: url.split('/'), methods: new Set() }
    for (const each of [method].flat()) route.methods.add(each)
    routes.set(url, route)
  })
  return (url) => {
    const [path = ''] = url.split('?')
    const parts = path.split('/')
    const at = [...routes.values()].filter((route) => fits(route.parts, parts))
    return [...new Set(at.flatMap(({ methods }) => [...methods]))].sort()
  }
}
