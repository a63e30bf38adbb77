/** A body of a request that carries several events, with the part of one of them alone. */
type OwnPart = { body: string; count: number }

const mostDepth = 4
type Found = { list: unknown[]; at: number }

/** The first list of several values of which exactly one names the event. */
function findIn(value: unknown, eventId: string, depth = 0): Found | undefined {
  if (typeof value !== 'object' || value === null || depth > mostDepth) return undefined
  if (Array.isArray(value) && value.length > 1) {
    const own = value.flatMap((each, at) => (JSON.stringify(each)?.includes(JSON.stringify(eventId)) ? [at] : []))
    if (own.length === 1) return { list: value, at: own[0]! }
  }
  for (const each of Object.values(value)) {
    const found = findIn(each, eventId, depth + 1)
    if (found) return found
  }
  return undefined
}

/** The part of a JSON body that is of one event; undefined where the body has one event alone, or does not name it. */
export function ownPartOf(body: string, eventId: string): OwnPart | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return undefined
  }
  const found = findIn(parsed, eventId)
  if (!found) return undefined
  const { list, at } = found
  const count = list.length
  list.splice(0, count, list[at])
  return { body: JSON.stringify(parsed, undefined, 2), count }
}
