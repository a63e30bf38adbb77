import { isbot } from 'isbot'
import { plugin, Type } from '#plugin/plugin.ts'

const Words = Type.Array(Type.String({ minLength: 2, maxLength: 200 }), { maxItems: 100 })
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

const holds = (userAgent: string, words: readonly string[] = []) => {
  const text = userAgent.toLowerCase()
  return words.some((word) => text.includes(word.toLowerCase()))
}

export default plugin({
  label: 'Filter bots',
  does: 'Keeps the events of crawlers, monitors and other programs from every channel, by what the browser calls itself.',
  stage: 'live',
  settings: Type.Object(
    {
      also: Type.Optional({ ...Words, description: 'words of other user agents that are to be kept out' }),
      except: Type.Optional({ ...Words, description: 'words of user agents that are let through' }),
    },
    { additionalProperties: false },
  ),
  /** A server that does not say what the browser was is no bot. */
  run(event, { also, except }, { userAgent }) {
    if (!userAgent || holds(userAgent, except)) return { event }
    return isbot(userAgent) || holds(userAgent, also) ? { filtered: true } : { event }
  },
  examples: [
    {
      shows: 'a crawler',
      settings: {},
      event: { eventName: 'PageView' },
      on: { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      gives: { filtered: true },
    },
    {
      shows: 'a browser without a window',
      settings: {},
      event: { eventName: 'PageView' },
      on: { userAgent: chrome.replace('Chrome/', 'HeadlessChrome/') },
      gives: { filtered: true },
    },
    {
      shows: 'a person',
      settings: {},
      event: { eventName: 'PageView' },
      on: { userAgent: chrome },
      gives: { event: { eventName: 'PageView' } },
    },
    {
      shows: 'a server that does not say what the browser was',
      settings: {},
      event: { eventName: 'Purchase' },
      gives: { event: { eventName: 'Purchase' } },
    },
    {
      shows: 'a program of the shop that the list does not know, and one that it does and that is let through',
      settings: { also: ['shop-monitor'], except: ['Googlebot'] },
      event: { eventName: 'PageView' },
      on: { userAgent: `${chrome} Shop-Monitor/1` },
      gives: { filtered: true },
    },
    {
      shows: 'a bot that is let through',
      settings: { except: ['googlebot'] },
      event: { eventName: 'PageView' },
      on: { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' },
      gives: { event: { eventName: 'PageView' } },
    },
  ],
})
