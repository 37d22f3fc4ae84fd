import { countPixels, HEADER_BYTES, MAX_PIXELS } from './pixel-count.ts'
import { findLegibilityProblems, type LegibilityProblem } from './sharpness-and-glare.ts'

/** Width at which letters stay legible and a phone can hold the photograph in memory. */
const WIDTH_PX = 1_000

/**
 * Examines a photograph on the device; nothing of it is sent.
 * @returns the problems that were found; empty also for a photograph of more than MAX_PIXELS, and if the browser cannot draw the
 * photograph (HEIC, a damaged file)
 */
export async function examinePhoto(file: File): Promise<LegibilityProblem[]> {
  const originalPixelCount = countPixels(new Uint8Array(await file.slice(0, HEADER_BYTES).arrayBuffer()))
  if ((originalPixelCount ?? 0) > MAX_PIXELS) return []
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
  return context ? findLegibilityProblems(context.getImageData(0, 0, width, height), originalPixelCount) : []
}
