/** Name of the IndexedDB database that holds this device's drafts (draft-store.client.ts). */
export const DATABASE_NAME = 'registro'

/** Returns whether this device may hold a draft, for which the form's controller is loaded at once. */
export async function mayHaveDraft(): Promise<boolean> {
  try {
    // A browser without indexedDB.databases() may hold a draft.
    return !indexedDB.databases || (await indexedDB.databases()).some(({ name }) => name === DATABASE_NAME)
  } catch {
    return false
  }
}
