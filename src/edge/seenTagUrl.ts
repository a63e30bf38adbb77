import type { EdgeCall } from './edge.ts'

type SeenCall = Pick<EdgeCall, 'edge' | 'tag' | 'request' | 'tagPath' | 'isOwnHost'>

/**
 * The tag's URL as the caller sees it, without a trailing slash. On the tag's own host name, and below a path that a
 * trusted proxy forwards, this is the URL of the request; else the tag URL, because any host name may lead to it.
 */
export function seenTagUrl({ edge, tag, request, tagPath, isOwnHost }: SeenCall): string {
  if (!isOwnHost && edge.prefixOf(request) === undefined) return edge.deps.tagUrl(tag.tagId)
  return `${edge.deps.development ? 'http' : 'https'}://${request.headers.host}${tagPath}`
}
