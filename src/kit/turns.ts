/** Works of one name are done one after the other, each whether or not the one before it failed. */
export function turns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const turn = (last.get(name) ?? Promise.resolve()).catch(() => {}).then(work)
    last.set(name, turn)
    try {
      return await turn
    } finally {
      if (last.get(name) === turn) last.delete(name)
    }
  }
}
