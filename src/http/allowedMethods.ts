import type { FastifyInstance } from 'fastify'

/** The methods of the routes that match a URL, and OPTIONS; empty if none matches. */
export type AllowedMethods = (url: string) => string[]

/** Whether the parts of a path match those of a route such as `/v1/script/:scriptId` or `/oauth/*`. */
function matchesPath(route: readonly string[], path: readonly string[]): boolean {
  const rest = route.indexOf('*')
  if (rest < 0 ? path.length !== route.length : path.length <= rest) return false
  return route.every((part, at) => part === '*' || part.startsWith(':') || part === path[at])
}

/** Records the routes that are added from now on, for 405 and OPTIONS, which the router does not provide. */
export function trackAllowedMethods(app: FastifyInstance): AllowedMethods {
  const routes = new Map<string, { parts: string[]; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { parts: url.split('/'), methods: new Set() }
    for (const each of [method].flat()) route.methods.add(each)
    routes.set(url, route)
  })
  return (url) => {
    const [path = ''] = url.split('?')
    const parts = path.split('/')
    const matching = [...routes.values()].filter((route) => matchesPath(route.parts, parts))
    if (matching.length === 0) return []
    return [...new Set([...matching.flatMap(({ methods }) => [...methods]), 'OPTIONS'])].sort()
  }
}
