/** Steps that undo what was done, in the order in which it was done. */
export type Undo = (() => Promise<unknown> | unknown)[]

/**
 * Undoes everything, last things first, each once. A step that fails keeps none of the others from their turn.
 * @throws what failed first, once all have had their turn
 */
export async function undoAll(undo: Undo): Promise<void> {
  const faults: unknown[] = []
  for (const step of undo.splice(0).reverse()) {
    try {
      await step()
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}
