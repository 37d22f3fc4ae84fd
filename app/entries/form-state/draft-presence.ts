/** The IndexedDB database of this device's drafts (draft-store.client.ts) has this name. */
export const DATABASE_NAME = 'registro'

/** Returns whether this device may hold a draft; only then the form's tools are loaded at once, to look for the draft. */
export async function mayHaveDraft(): Promise<boolean> {
  try {
    // A browser without indexedDB.databases() may hold a draft.
    return !indexedDB.databases || (await indexedDB.databases()).some(({ name }) => name === DATABASE_NAME)
  } catch {
    return false
  }
}
