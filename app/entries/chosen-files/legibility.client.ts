import { countPixels, SIZE_BYTES } from './pixel-count.ts'
import { type LegibilityProblem, legibilityOf } from './sharpness-and-glare.ts'

/** Width that a photograph is looked at in: its letters are still letters, and a phone has it in memory at once. */
const WIDTH_PX = 1_000

/**
 * Looks at a photograph on the device; nothing of it leaves.
 * @returns what may keep somebody from reading it; empty also where the browser cannot draw it (HEIC, a damaged file)
 */
export async function readPhotoLegibility(file: File): Promise<LegibilityProblem[]> {
  const original = countPixels(new Uint8Array(await file.slice(0, SIZE_BYTES).arrayBuffer()))
  const bitmap = await createImageBitmap(file, { resizeWidth: WIDTH_PX, resizeQuality: 'medium' }).catch(
    () => undefined,
  )
  if (!bitmap) return []
  const { width, height } = bitmap
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context?.drawImage(bitmap, 0, 0)
  bitmap.close()
  return context ? legibilityOf(context.getImageData(0, 0, width, height), original) : []
}
