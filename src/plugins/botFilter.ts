import { isbot } from 'isbot'
import { plugin, Type } from '#plugin/plugin.ts'

const Words = Type.Array(Type.String({ minLength: 2, maxLength: 200 }), { maxItems: 100 })
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

const containsAny = (userAgent: string, words: readonly string[] = []) => {
  const text = userAgent.toLowerCase()
  return words.some((word) => text.includes(word.toLowerCase()))
}

export default plugin({
  label: 'Filter bots',
  description: 'Filters events of crawlers, monitors and other programs by their user agent.',
  stage: 'live',
  settings: Type.Object(
    {
      also: Type.Optional({ ...Words, title: 'Also filter', description: 'words of other user agents to filter' }),
      except: Type.Optional({
        ...Words,
        title: 'Let through',
        description: 'words of user agents that are never filtered',
      }),
    },
    { additionalProperties: false },
  ),
  /** Filters events of known bots by their user agent. An event without one, which servers may send, is not filtered. */
  run(event, { also, except }, { userAgent }) {
    if (!userAgent || containsAny(userAgent, except)) return { event }
    return isbot(userAgent) || containsAny(userAgent, also) ? { filtered: true } : { event }
  },
  examples: [
    {
      title: 'a crawler',
      settings: {},
      event: { eventName: 'PageView' },
      context: { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      result: { filtered: true },
    },
    {
      title: 'a browser without a window',
      settings: {},
      event: { eventName: 'PageView' },
      context: { userAgent: chrome.replace('Chrome/', 'HeadlessChrome/') },
      result: { filtered: true },
    },
    {
      title: 'a person',
      settings: {},
      event: { eventName: 'PageView' },
      context: { userAgent: chrome },
      result: { event: { eventName: 'PageView' } },
    },
    {
      title: 'a server that does not say what the browser was',
      settings: {},
      event: { eventName: 'Purchase' },
      result: { event: { eventName: 'Purchase' } },
    },
    {
      title: 'a program of the shop that the list does not know, and one that it does and that is let through',
      settings: { also: ['shop-monitor'], except: ['Googlebot'] },
      event: { eventName: 'PageView' },
      context: { userAgent: `${chrome} Shop-Monitor/1` },
      result: { filtered: true },
    },
    {
      title: 'a bot that is let through',
      settings: { except: ['googlebot'] },
      event: { eventName: 'PageView' },
      context: { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' },
      result: { event: { eventName: 'PageView' } },
    },
  ],
})
