import { countPixels, SIZE_BYTES } from './pixel-count.ts'
import { type LegibilityProblem, legibilityOf } from './sharpness-and-glare.ts'

/** Width to which a photograph is scaled for the check: letters stay legible, and a phone can hold it in memory. */
const WIDTH_PX = 1_000

/**
 * Examines a photograph on the device; nothing of it leaves the device.
 * @returns problems that may make it unreadable; also empty where the browser cannot draw it (HEIC, a damaged file)
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
