import type { BrowserPage } from './browserPage.ts'

const isCall = (name: string) => name.includes(':call:')

/**
 * A page whose calls belong to a preview. They wait in the tab's storage, so that no other tab sends them as ordinary
 * calls, and are never sent by beacon, which has no headers.
 */
export function previewPage(page: BrowserPage, request: BrowserPage['request']): BrowserPage {
  const { local, session } = page
  const storageOf = (name: string) => (isCall(name) ? session : local)
  return {
    ...page,
    request,
    beacon: (url, body) => void request(url, body).catch(() => {}),
    local: {
      get: (name) => storageOf(name).get(name),
      set: (name, text) => storageOf(name).set(name, text),
      remove: (name) => storageOf(name).remove(name),
      names: () => [...local.names().filter((name) => !isCall(name)), ...session.names().filter(isCall)],
    },
  }
}
