/** This place marks an annulled ballot. The places of names are smaller (`MAX_NAMES` in schema.ts). */
const ANNULLED_PLACE = 0xffff
/** The table grows when this share of its slots is used. */
const MAX_LOAD = 0.7
const FIRST_SLOTS = 1_024

/**
 * Creates a table that holds each receipt of a file once, with the place of the name on its ballot. A slot takes ten bytes: 168
 * MB for ten million ballots, and half as much again while the table grows. A receipt is stored as 64 bits, hashed by simple
 * tabulation with numbers drawn anew for each count, so that a forger cannot prepare two receipts that collide. Among ten million
 * receipts two collide by chance in one of 300,000 counts; the second is then reported as a repeated receipt.
 */
export function createReceiptTable() {
  // The table has two random words for each of 64 digits with 16 values.
  const randomWords = crypto.getRandomValues(new Uint32Array(64 * 16 * 2))
  let slots = FIRST_SLOTS
  let words = new Uint32Array(slots * 2)
  let places = new Uint16Array(slots)
  let usedSlots = 0
  let low = 0
  let high = 0

  /** Sets `low` and `high` to the receipt's two words. @param receipt 64 hexadecimal digits in lower case */
  function hash(receipt: string): void {
    low = 0
    high = 0
    for (let digit = 0; digit < 64; digit++) {
      const code = receipt.charCodeAt(digit)
      const at = (digit * 16 + (code < 58 ? code - 48 : code - 87)) * 2
      low ^= randomWords[at]!
      high ^= randomWords[at + 1]!
    }
    low >>>= 0
    // The high word is never 0, which marks an empty slot.
    high = high >>> 0 || 1
  }

  /** Returns the slot of the current words, or the empty slot where they belong (linear probing). */
  function find(): number {
    let slot = low % slots
    while (words[slot * 2 + 1] !== 0 && (words[slot * 2] !== low || words[slot * 2 + 1] !== high))
      slot = slot + 1 === slots ? 0 : slot + 1
    return slot
  }

  function grow(): void {
    const [oldWords, oldPlaces, count] = [words, places, slots]
    slots *= 2
    words = new Uint32Array(slots * 2)
    places = new Uint16Array(slots)
    for (let slot = 0; slot < count; slot++) {
      if (oldWords[slot * 2 + 1] === 0) continue
      low = oldWords[slot * 2]!
      high = oldWords[slot * 2 + 1]!
      const to = find()
      words[to * 2] = low
      words[to * 2 + 1] = high
      places[to] = oldPlaces[slot]!
    }
  }

  return {
    /** Stores a receipt. @returns false: the table already has the receipt */
    add(receipt: string, place: number): boolean {
      if (usedSlots >= slots * MAX_LOAD) grow()
      hash(receipt)
      const slot = find()
      if (words[slot * 2 + 1] !== 0) return false
      words[slot * 2] = low
      words[slot * 2 + 1] = high
      places[slot] = place
      usedSlots++
      return true
    },
    /** Annuls a ballot. @returns the place of its name, or undefined if the receipt is unknown or annulled already */
    annul(receipt: string): number | undefined {
      hash(receipt)
      const slot = find()
      if (words[slot * 2 + 1] === 0 || places[slot] === ANNULLED_PLACE) return undefined
      const place = places[slot]!
      places[slot] = ANNULLED_PLACE
      return place
    },
  }
}
