import type { PhotoFrame } from './field-descriptor.ts'

/** Returns a frame with its aspect ratios (width / height) in viewports of 390 pixels (phone) and 1440 pixels (desktop). */
const frame = (minWidth: number, phone: number, desktop: number): PhotoFrame => ({
  minWidth,
  aspectRatios: { phone, desktop },
})

export const PHOTO_FRAMES = {
  carousel: frame(1_200, 0.8, 1.78),
  newsItem: frame(900, 0.93, 0.74),
  history: frame(1_600, 0.5, 1.74),
  oldPhoto: frame(700, 0.7, 0.7),
  queen: frame(900, 0.8, 0.67),
  group: frame(1_600, 1.5, 2),
  silhouette: frame(800, 0.8, 0.73),
  candidateGallery: frame(800, 0.75, 0.75),
  teachers: frame(1_600, 0.89, 1.78),
  teacher: frame(600, 0.75, 1.34),
  teacherGallery: frame(600, 1, 1),
  profileCard: frame(600, 0.8, 0.8),
  announcement: frame(700, 0.67, 0.67),
  strip: frame(1_600, 0.92, 3.2),
  winner: frame(900, 0.72, 0.74),
} as const
