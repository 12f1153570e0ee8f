/// What a range does to the hypotheses of a link, four pairs at a time, behind a plain C interface.
///
/// The memory is that of `GaussianSum` in Swift. A pair is a hypothesis with a los predicted and the same with a nlos one; four
/// pairs are a group, a cell for the los halves and one for the nlos ones. A cell is a row of `fuse_lanes`: direction (3), tangent
/// (3), scalars (dimension - 2: rho, b, s, coloured biases, antenna biases, velocity, nlosBias), lower triangle of the covariance
/// row by row. Pair k has the weights 2 k (los) and 2 k + 1 (nlos); lanes of the last group beyond `count` are anything.
///
/// Compiled for plain x86-64 and for AVX2, and chosen at run time; without fused multiplications either gives the same bits.
#ifndef FUSE_GAUSSIAN_SUM_H
#define FUSE_GAUSSIAN_SUM_H
#include <stdint.h>

#include "CLanes.h"
#ifdef __cplusplus
extern "C" {
#endif

/// One range `(1 + s) |anchor + rho u - antenna| + b + a + e + noise`; metres, m^2, 1.
typedef struct {
  double range;
  /// anchor - antenna, world.
  double from[3];
  /// Where the antenna's coloured and constant bias stand in the state; the latter -1 where there is none.
  int32_t coloured, constant;
  /// Share of outlier errors, and the distance within which half of them are.
  double rangeOutlierProbability, rangeOutlierScale;
  /// Shares of the los sights that have been lost since the range before, and of the nlos ones that have come back.
  double lost, back;
  /// Variance beyond the link's noise; beyond that of a nlos predicted; and by how much a kept nlosBias has wandered.
  double extra, flutter, widening;
  /// A new nlosBias: a normal distribution cut at zero, and the wider one that a weight of them has; mean, variances, weight.
  double nlosMean, nlosVariance, longNLOSVariance, longNLOSProbability;
} fuse_range;

/// Sums over all pairs and transitions, weighted, relative to the best hypothesis: innovation (m) and its variance (m^2), probability that the
/// range was no outlier error, the weights after and before the range.
typedef struct {
  double innovation, variance, regular, after, before;
} fuse_range_sums;

/// What one range tells of the white noise w of one candidate: shares of all transitions, and shares times what follows.
///
/// An innovation `y` of variance `S = V + w^2` tells of `w^2` by `y^2 - V`, and as much as `g = (w^2 / S)^2` of a range whose everything else is
/// known (the ratio of Fisher informations): `degrees` has g, `change` has g (y^2 - S), m^2. Blocked and outlier ranges tell nothing. Source of
/// learning a noise beside the state: Sarkka and Nummenmaa, IEEE TAC 54(3), 2009, doi:10.1109/TAC.2008.2008348.
typedef struct {
  double weight, degrees, change;
} fuse_noise_statistics;

/// The hypotheses of a link.
typedef struct {
  /// Aligned as `fuse_lanes` are.
  double *cells;
  /// Natural logarithms, `count` numbers.
  double *logWeights;
  /// Which candidate for the noise each has, `count` numbers.
  const int32_t *noise;
  int32_t count, dimension;
  /// Not 0: AVX2 stays out of use, for comparisons.
  int32_t usesBaseline;
} fuse_gaussian_sum;

/// Bayes' rule for one range, in place. `white`: variance of the white noise by candidate, m^2; `statistics`: one a candidate, added to;
/// `work`: room for 12 lanes a dimension, aligned like the cells. O(count dimension^2), no allocation. -1, and nothing done, where a size or an index is out of
/// range.
int fuse_gaussian_sum_update(fuse_gaussian_sum hypotheses, const fuse_range *range, const double *white, fuse_range_sums *sums,
                           fuse_noise_statistics *statistics, double *work);

/// Time that passes: the coloured biases of `antennas` antennas from `first` on forget.
typedef struct {
  int32_t first, antennas;
  /// By candidate for the noise: what is left of a bias, 0...1, and the variance that comes new, m^2.
  const double *memory, *fresh;
  /// Of what comes new to two antennas.
  double correlation;
} fuse_forgetting;

/// What the transition loses.
typedef struct {
  /// Growth of the relative position's covariance, 3 x 3, row-major, world axes, m^2.
  double position[9];
  /// Growth of the heading's variance, rad^2: turns the peer about the device.
  double yawVariance;
  /// anchor - device, world, metres.
  double from[3];
} fuse_path_drift;

/// Lets the coloured biases forget, in place. -1 as above.
int fuse_gaussian_sum_forget(fuse_gaussian_sum hypotheses, const fuse_forgetting *step);

/// Lets the peer drift relative to the device, in place. -1 as above.
int fuse_gaussian_sum_drift(fuse_gaussian_sum hypotheses, const fuse_path_drift *lost);

/// By how much the range curvatures over each hypothesis' width along its two tangents, seen from `from` (anchor - antenna), metres:
/// two numbers for each of `count`. -1 as above.
int fuse_gaussian_sum_curvatures(fuse_gaussian_sum hypotheses, const double from[3], double *curvatures);

/// What hypothesis `i` foretells: the row H (`dimension` numbers) and H P H^T, m^2. `work` and -1 as above.
int fuse_gaussian_sum_predict(fuse_gaussian_sum hypotheses, int32_t i, const fuse_range *range, double *row, double *variance,
                             double *work);

#ifdef __cplusplus
}
#endif
#endif
