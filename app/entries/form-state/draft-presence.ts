/** The database in which this device keeps drafts (draft-store.client.ts). */
export const BASE = 'registro'

/** Whether this device may keep a draft: only then is there one to look for as soon as the form is there. */
export async function mayHaveDraft(): Promise<boolean> {
  try {
    // Not every browser tells which ones it has.
    return !indexedDB.databases || (await indexedDB.databases()).some(({ name }) => name === BASE)
  } catch {
    return false
  }
}
