#pragma once
#include <linux/videodev2.h>
#include <sys/inotify.h>

// The parts of the kernel's interface to video devices (linux/videodev2.h) that Swift does not import: a variadic
// function, and constants defined by macros.

/// `ioctl`, repeated if a signal interrupted it; returns 0, or the `errno` of the failure.
int bd_v4l2_call(int descriptor, unsigned long request, void *argument);

/// `open` for reading and writing, without blocking; returns a descriptor, or the negative `errno`.
int bd_v4l2_open(const char *path);

static const unsigned long BD_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long BD_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long BD_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long BD_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long BD_G_FMT = VIDIOC_G_FMT;
static const unsigned long BD_S_FMT = VIDIOC_S_FMT;
static const unsigned long BD_G_PARM = VIDIOC_G_PARM;
static const unsigned long BD_S_PARM = VIDIOC_S_PARM;
static const unsigned long BD_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long BD_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long BD_QBUF = VIDIOC_QBUF;
static const unsigned long BD_DQBUF = VIDIOC_DQBUF;
static const unsigned long BD_STREAMON = VIDIOC_STREAMON;
static const unsigned long BD_STREAMOFF = VIDIOC_STREAMOFF;
static const unsigned long BD_SUBSCRIBE_EVENT = VIDIOC_SUBSCRIBE_EVENT;
static const unsigned long BD_DQEVENT = VIDIOC_DQEVENT;

// v4l2loopback.h, from module version 0.13: tells the writer how many programs read.
static const unsigned BD_EVENT_CLIENT_USAGE = V4L2_EVENT_PRIVATE_START + 0x08E00000 + 1;

static const unsigned BD_YUYV = V4L2_PIX_FMT_YUYV;
static const unsigned BD_NV12 = V4L2_PIX_FMT_NV12;
static const unsigned BD_YUV420 = V4L2_PIX_FMT_YUV420;
static const unsigned BD_BGR32 = V4L2_PIX_FMT_BGR32;
static const unsigned BD_XBGR32 = V4L2_PIX_FMT_XBGR32;
static const unsigned BD_ABGR32 = V4L2_PIX_FMT_ABGR32;
static const unsigned BD_RGB24 = V4L2_PIX_FMT_RGB24;
static const unsigned BD_MJPEG = V4L2_PIX_FMT_MJPEG;
static const unsigned BD_JPEG = V4L2_PIX_FMT_JPEG;
static const unsigned BD_H264 = V4L2_PIX_FMT_H264;
static const unsigned BD_Z16 = V4L2_PIX_FMT_Z16;
static const unsigned BD_Y16 = V4L2_PIX_FMT_Y16;

// Members of unions.
static inline struct v4l2_pix_format *bd_v4l2_pix(struct v4l2_format *format) { return &format->fmt.pix; }
static inline struct v4l2_captureparm *bd_v4l2_capture(struct v4l2_streamparm *parameters) {
  return &parameters->parm.capture;
}
static inline struct v4l2_outputparm *bd_v4l2_output(struct v4l2_streamparm *parameters) {
  return &parameters->parm.output;
}
static inline unsigned bd_v4l2_offset(const struct v4l2_buffer *buffer) { return buffer->m.offset; }
static inline unsigned bd_v4l2_event_number(const struct v4l2_event *event) {
  return *(const unsigned *)(const void *)event->u.data;
}
