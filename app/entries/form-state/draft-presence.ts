/** IndexedDB database of this device's drafts (draft-store.client.ts). */
export const DATABASE_NAME = 'registro'

/** Whether this device may hold a draft: only then the form's tools are loaded at once, to look for it. */
export async function mayHaveDraft(): Promise<boolean> {
  try {
    // Not every browser implements indexedDB.databases().
    return !indexedDB.databases || (await indexedDB.databases()).some(({ name }) => name === DATABASE_NAME)
  } catch {
    return false
  }
}
