/// Gaussian-sum update of the range measurement model, four pairs at a time, behind a plain C interface.
///
/// The memory is that of `GaussianSum` in Swift. A pair is an LOS component followed by its NLOS component. Four pairs
/// are a group, with a cell for the LOS and one for the NLOS components. A cell is a row of `fuse_lanes`: direction
/// (3), tangent (3), scalars (dimension - 2: rho, b, s, coloured biases, antenna biases, velocity, NLOS bias), lower
/// triangle of the covariance row by row. Pair k has the weights 2 k (LOS) and 2 k + 1 (NLOS); unused lanes of the last
/// group hold arbitrary values.
///
/// Compiled for plain x86-64 and for AVX2, and selected at run time; without fused multiplications both give the same
/// bits.
#ifndef FUSE_GAUSSIAN_SUM_H
#define FUSE_GAUSSIAN_SUM_H
#include <stdint.h>

#include "CLanes.h"
#ifdef __cplusplus
extern "C" {
#endif

/// One range `(1 + s) |anchor + rho u - antenna| + b + a_j + b_j + e + n` (see `RangeModel` in Swift); metres, m^2, 1.
typedef struct {
  double range;
  /// anchor - antenna, world.
  double from[3];
  /// State indices of the antenna's coloured and constant bias; the latter -1 where there is none.
  int32_t coloured, constant;
  /// Prior probability of an outlier, and its scale (median size).
  double rangeOutlierProbability, rangeOutlierScale;
  /// Transition probabilities since the previous range, LOS to NLOS and NLOS to LOS.
  double losLossProbability, losReturnProbability;
  /// Variance beyond the link's noise; the additional noise variance under NLOS; growth of the variance of a kept NLOS
  /// bias.
  double extraVariance, nlosNoiseVariance, nlosRandomWalkVariance;
  /// Prior of an initial NLOS bias: a normal distribution truncated at zero, and a wider one for long biases; mean,
  /// variances, probability of a long one.
  double nlosMean, nlosVariance, longNLOSVariance, longNLOSProbability;
} fuse_range;

/// Weighted sums over all pairs and transitions, relative to the best component: innovation (m), its variance (m^2),
/// probability of an inlier, the weights after and before the range.
typedef struct {
  double innovation, variance, regular, after, before;
} fuse_range_sums;

/// Statistics of one range for the white noise w of one candidate, as weighted sums over all transitions.
///
/// An innovation `y` of variance `S = V + w^2` gives the estimate `y^2 - V` of `w^2` with the information `g = (w^2 /
/// S)^2` relative to a range with everything else known (the ratio of Fisher informations): `degrees` sums g, `change`
/// sums g (y^2 - S), m^2. NLOS and outlier ranges are excluded. Source of estimating a noise beside the state: Sarkka
/// and Nummenmaa, IEEE TAC 54(3), 2009, doi:10.1109/TAC.2008.2008348.
typedef struct {
  double weight, degrees, change;
} fuse_noise_statistics;

/// The Gaussian sum of a link.
typedef struct {
  /// Aligned as `fuse_lanes` are.
  double *cells;
  /// Natural logarithms, `count` numbers.
  double *logWeights;
  /// Noise candidate of each component, `count` numbers.
  const int32_t *noise;
  int32_t count, dimension;
  /// Not 0: AVX2 is not used, for comparisons.
  int32_t usesBaseline;
} fuse_gaussian_sum;

/// Measurement update by one range, in place. `white`: variance of the white noise by candidate, m^2; `statistics`: one
/// per candidate, accumulated; `work`: 12 lanes per state, aligned like the cells. O(count dimension^2), no allocation.
/// Returns -1 without any change if a size or an index is out of range.
int fuse_gaussian_sum_update(fuse_gaussian_sum hypotheses, const fuse_range *range, const double *white,
                             fuse_range_sums *sums,
                           fuse_noise_statistics *statistics, double *work);

/// Decay of the coloured biases of `antennas` antennas from `first` on.
typedef struct {
  int32_t first, antennas;
  /// By noise candidate: decay factor of a bias, 0...1, and variance of its process noise, m^2.
  const double *decay, *newVariance;
  /// Correlation of the process noise of two antennas.
  double correlation;
} fuse_forgetting;

/// Drift of the trajectory.
typedef struct {
  /// Growth of the relative position's covariance, 3 x 3, row-major, world axes, m^2.
  double position[9];
  /// Growth of the heading variance, rad^2: rotates the peer about the device.
  double yawVariance;
  /// anchor - device, world, metres.
  double from[3];
} fuse_path_drift;

/// Applies the decay, in place. -1 as above.
int fuse_gaussian_sum_forget(fuse_gaussian_sum hypotheses, const fuse_forgetting *step);

/// Adds the drift to the relative positions, in place. -1 as above.
int fuse_gaussian_sum_drift(fuse_gaussian_sum hypotheses, const fuse_path_drift *lost);

/// Curvature of the range over each component's width along its two tangents, seen from `from` (anchor - antenna),
/// metres: two numbers for each of `count`. -1 as above.
int fuse_gaussian_sum_curvatures(fuse_gaussian_sum hypotheses, const double from[3], double *curvatures);

/// Predicted range of component `i`: the Jacobian H (`dimension` numbers) and H P H^T, m^2. `work` and -1 as above.
int fuse_gaussian_sum_predict(fuse_gaussian_sum hypotheses, int32_t i, const fuse_range *range, double *row,
                              double *variance,
                             double *work);

/// A range along a path, metres.
typedef struct {
  /// The antenna's place in the world.
  double place[3];
  double range;
} fuse_link_row;

/// Ranges `scale |x - place| + b + e` of a peer x that rests, with a normal prior of the bias b. See `LinkFit` in Swift.
typedef struct {
  const fuse_link_row *rows;
  /// Weights of the rows under each of the four estimates, four a row; NULL: 1.
  const double *weights;
  int32_t count;
  /// Not 0: AVX2 is not used, for comparisons.
  int32_t usesBaseline;
  double scale, biasMean, inverseBiasVariance;
  /// 1-sigma of a range under each of the four estimates; Huber's threshold is three.
  fuse_lanes sigma;
} fuse_link;

/// Costs of four estimates (x, y, z, b). O(count).
void fuse_link_costs(const fuse_link *link, const fuse_lanes estimates[4], fuse_lanes *costs);

/// A step of four damped descents: replaces the estimates (x, y, z, b) by the next ones, with their costs.
/// `isSolved`: all bits where the equations have a solution, none where not. O(count).
void fuse_link_step(const fuse_link *link, fuse_lanes estimates[4], const fuse_lanes *damping, fuse_lanes *costs,
                    fuse_lanes_mask *isSolved);

/// Residuals of a link in time order, and the law of its errors. See `ResidualLikelihood` in Swift.
typedef struct {
  const double *residuals;
  int32_t count;
  /// Not 0: AVX2 is not used, for comparisons.
  int32_t usesBaseline;
  /// Variances of the lasting part, m^2.
  fuse_lanes lasting;
  /// Probabilities of a regular, a too long and a too short range; mean size of such errors, metres; least density.
  double regular, longer, shorter, size, least;
} fuse_residuals;

/// Four candidates of a noise, that differ in the lasting part.
typedef struct {
  /// `exp(-dt / tau)` since the residual before; `largestDecay` of all but the first.
  const double *decays;
  double largestDecay;
  /// Variance of the white part, m^2.
  double white;
  /// Log likelihoods; minus infinity where all four are known to be below what is asked for.
  fuse_lanes likelihoods;
} fuse_noise_candidate;

/// Log likelihoods of `count` candidates, four at most, as far as they reach `least`. O(residuals).
void fuse_residual_likelihoods(const fuse_residuals *of, fuse_noise_candidate *candidates, int32_t count, double least);

/// Two views of the same points, and four descents to the rotation and the translation between them. See
/// `EpipolarDescent` in Swift.
typedef struct {
  /// Unit directions in the first and the second view, six numbers a pair.
  const double *pairs;
  int32_t count;
  /// Not 0: AVX2 is not used, for comparisons.
  int32_t usesBaseline;
  /// 1-sigma of a direction, radians.
  double noise;
  /// The rotation's quaternion (w, x, y, z), the unit translation and its two tangents: 13 lanes.
  const fuse_lanes *state;
} fuse_two_views;

/// Gauss-Newton steps (5 lanes) under Huber's weights. O(count^2).
///
/// `rows`: Sampson residual, radians, its derivatives by the rotation (3) and along the tangents (2), its size: 7 lanes a pair;
/// `deviations`: the residuals' robust 1-sigmas, of which, `noise` at least, the threshold is twice as much; `normal`: the
/// lower triangle of the equations, row by row (15 lanes); `isSolved` as above.
void fuse_two_views_step(const fuse_two_views *views, fuse_lanes *rows, fuse_lanes *deviations, fuse_lanes *normal,
                         fuse_lanes *step, fuse_lanes_mask *isSolved);

#ifdef __cplusplus
}
#endif
#endif
