import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

/** What a page shows once after a form was sent: a notice, or a link that is shown only this once. */
export type PageMessage = { notice?: string; link?: { sentence: string; url: string } }

/**
 * The messages for the pages that forms redirect to. They stay in memory, because a link holds a secret that no address
 * and no log may have.
 */
export type PageMessages = {
  /** Returns the random id by which `take` gives the message. */
  keep(message: PageMessage): string
  /** The message, once. */
  take(id: string): PageMessage | undefined
}

const limits = { max: 1_000, ttl: 10 * 60_000 }

export function openPageMessages(): PageMessages {
  const messages = new LRUCache<string, PageMessage>(limits)
  return {
    keep(message) {
      const id = randomBytes(16).toString('base64url')
      messages.set(id, message)
      return id
    },
    take(id) {
      const message = messages.get(id)
      messages.delete(id)
      return message
    },
  }
}

type MessageDeps = { messages: PageMessages }

/** Redirects after a form was sent, so that a reload does not send it again. `path` has no query. */
export const redirectWith = (
  { messages }: MessageDeps,
  reply: FastifyReply,
  path: string,
  message?: PageMessage,
): FastifyReply => reply.redirect(message ? `${path}?message=${messages.keep(message)}` : path, 303)

/** The message of the address, if it was not shown yet. */
export function takeMessage({ messages }: MessageDeps, { query }: FastifyRequest): PageMessage {
  const { message } = query as { message?: unknown }
  return (typeof message === 'string' && messages.take(message)) || {}
}
